package import FMCore

extension OpCases {
  /// A few cases of every op, with weights of some types: enough to find a broken driver in seconds.
  ///
  /// Matrix products of few and of many rows, ordinary and with outliers; attention near and far,
  /// with and without a window.
  package static func quick(types: [ElementType]) -> [OpCase] {
    let products = types.flatMap { type in
      matmul(type).filter { item in
        [
          "rows=1 outputs=33 ", "rows=8 outputs=33 ", "rows=33 outputs=33 ", "outliers",
          "bias residual",
        ]
        .contains { item.name.contains($0) }
      }
    }
    return products + spread(embedding(), 4) + spread(norm(), 4) + spread(elementwise(), 6)
      + spread(rope(), 4) + spread(attention(), 12) + spread(outputs(), 6)
  }

  /// `count` cases from all over a list.
  private static func spread(_ cases: [OpCase], _ count: Int) -> [OpCase] {
    guard cases.count > count else { return cases }
    return (0..<count).map { cases[$0 * (cases.count - 1) / (count - 1)] }
  }
}
