extension Step {
  /// Says which rule of ``Step`` this one breaks, or nil when it can run.
  ///
  /// Pure, allocates nothing for a good step; linear in rows, table entries and outputs. Every back
  /// end calls it before it reads anything of a step.
  package func problem(program: Program, configuration: ExecutorConfiguration) -> String? {
    rowProblem(program: program, configuration: configuration)
      ?? tableProblem(program: program, configuration: configuration)
      ?? blockProblem(program: program)
      ?? outputProblem(program: program, configuration: configuration)
  }

  private func rowProblem(
    program: Program, configuration: ExecutorConfiguration
  ) -> String? {
    let rows = rowCount
    if rows == 0 { return "no rows" }
    if rows > configuration.maximumRows {
      return "\(rows) rows, at most \(configuration.maximumRows)"
    }
    let given = rows * (program.inputWidth ?? 0)
    if inputs.count != given { return "\(inputs.count) input elements, expected \(given)" }
    if positions.count != rows || sequences.count != rows {
      return "\(rows) tokens, \(positions.count) positions, \(sequences.count) sequences"
    }
    for row in 0..<rows {
      if tokens[row] < 0 || Int(tokens[row]) >= program.vocabularySize {
        return "row \(row): token \(tokens[row]) of \(program.vocabularySize)"
      }
      if positions[row] < 0 || Int(positions[row]) >= program.contextLength {
        return "row \(row): position \(positions[row]) of \(program.contextLength)"
      }
      if sequences[row] < 0 { return "row \(row): sequence \(sequences[row])" }
    }
    return orderProblem()
  }

  /// Rows of a sequence are neighbours and their positions rise by one.
  private func orderProblem() -> String? {
    var ascending = true
    for row in 1..<max(1, rowCount) {
      let sequence = sequences[row]
      if sequence == sequences[row - 1] {
        if positions[row] != positions[row - 1] + 1 {
          return "row \(row): position \(positions[row]) after \(positions[row - 1])"
        }
        continue
      }
      // Engines number sequences upwards; only another order needs the look back.
      ascending = ascending && sequence > sequences[row - 1]
      if !ascending, sequences[..<row].contains(sequence) {
        return "row \(row): sequence \(sequence) is split"
      }
    }
    return nil
  }

  private func tableProblem(
    program: Program, configuration: ExecutorConfiguration
  ) -> String? {
    let groups = program.kv.groups.count
    if configuration.blockCounts.count != groups {
      return "\(configuration.blockCounts.count) block counts for \(groups) groups"
    }
    if groups == 0 { return nil }
    if tableStarts.isEmpty || (tableStarts.count - 1) % groups != 0 {
      return "\(tableStarts.count) table starts for \(groups) groups"
    }
    if tableStarts[0] != 0 || Int(tableStarts[tableStarts.count - 1]) != blocks.count {
      return "tables do not cover the \(blocks.count) blocks"
    }
    for table in 0..<tableStarts.count - 1 {
      let (start, end) = (Int(tableStarts[table]), Int(tableStarts[table + 1]))
      if start > end { return "table \(table) ends before it starts" }
      let limit = configuration.blockCounts[table % groups]
      for index in start..<end where blocks[index] < -1 || Int(blocks[index]) >= limit {
        return "table \(table): block \(blocks[index]) of \(limit)"
      }
    }
    return nil
  }

  /// Every position a row writes or sees lies in a block of its sequence's table.
  private func blockProblem(program: Program) -> String? {
    let groups = program.kv.groups.count
    if groups == 0 { return nil }
    let sequenceCount = (tableStarts.count - 1) / groups
    var first = 0
    while first < rowCount {
      let sequence = Int(sequences[first])
      if sequence >= sequenceCount { return "row \(first): sequence \(sequence) has no tables" }
      var last = first
      while last + 1 < rowCount, sequences[last + 1] == sequences[first] { last += 1 }
      for group in 0..<groups {
        let start = Int(tableStarts[sequence * groups + group])
        let length = Int(tableStarts[sequence * groups + group + 1]) - start
        let lastBlock = Int(positions[last]) / KVLayout.blockTokens
        if lastBlock >= length {
          return "row \(last): block \(lastBlock) of a table of \(length) (group \(group))"
        }
        let window = program.kv.groups[group].window ?? Int.max
        let seen = max(0, Int(positions[first]) - (window - 1))
        for block in seen / KVLayout.blockTokens...lastBlock where blocks[start + block] < 0 {
          return "row \(first): block \(block) is in the window but not kept (group \(group))"
        }
      }
      first = last + 1
    }
    return nil
  }

  private func outputProblem(
    program: Program, configuration: ExecutorConfiguration
  ) -> String? {
    if outputs.count > configuration.maximumOutputs {
      return "\(outputs.count) outputs, at most \(configuration.maximumOutputs)"
    }
    for index in outputs.indices {
      let row = outputs[index].row
      if row < 0 || row >= rowCount { return "output \(index): row \(row) of \(rowCount)" }
      if index > 0, row < outputs[index - 1].row {
        return "output \(index): row \(row) after \(outputs[index - 1].row)"
      }
      if program.endsInside, case .candidates = outputs[index].kind {
        return "output \(index): candidates of a program that has no logits"
      }
      if let problem = outputs[index].problem(vocabularySize: program.vocabularySize) {
        return "output \(index): \(problem)"
      }
    }
    return nil
  }
}

extension OutputRequest {
  fileprivate func problem(vocabularySize: Int) -> String? {
    switch kind {
    case .logits:
      return mask == nil && bias.isEmpty ? nil : "mask and bias are for candidates"
    case .candidates(let count):
      if count < 1 { return "\(count) candidates" }
      let words = (vocabularySize + 63) / 64
      if let mask, mask.count != words { return "a mask of \(mask.count) words, expected \(words)" }
      for item in bias {
        if item.token < 0 || Int(item.token) >= vocabularySize || item.bias.isNaN {
          return "bias \(item.bias) for token \(item.token) of \(vocabularySize)"
        }
      }
      return nil
    }
  }
}
