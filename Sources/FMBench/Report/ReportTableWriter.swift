/// A table in a box of its own that scrolls sideways when the screen is narrow.
struct ReportTableWriter {
  /// A heading: what it says, what unit is below it, and the words shown on pointing at it.
  struct Heading {
    var text: String
    var unit = ""
    var help = ""
    var isNumber = true
  }

  /// What stands in a field.
  struct Field {
    var text: String
    var detail = ""
    /// How steady the value is; nil where nothing is said.
    var quality: TrialQuality?
    /// The value that rows are sorted by; the text where it is nil.
    var order: Double?
  }

  var caption: String
  var headings: [Heading]
  var rows: [[Field]]
  var canSort = true

  func write(to page: inout MarkupWriter) {
    page.element(
      "div", ["class": "scroll", "tabindex": "0", "role": "region", "aria-label": caption]
    ) { page in
      page.element("table", ["class": canSort ? "sorts" : ""]) { page in
        page.element("caption", text: caption)
        page.element("thead") { page in
          page.element("tr") { page in
            for heading in headings { write(heading, to: &page) }
          }
        }
        page.element("tbody") { page in
          for row in rows {
            page.line()
            page.element("tr") { page in
              for (index, field) in row.enumerated() { write(field, index, to: &page) }
            }
          }
        }
      }
    }
    page.line()
  }

  private func write(_ heading: Heading, to page: inout MarkupWriter) {
    page.element(
      "th",
      ["scope": "col", "class": heading.isNumber ? "number" : "", "title": heading.help]
    ) { page in
      page.text(heading.text)
      if !heading.unit.isEmpty { page.element("small", text: heading.unit) }
    }
  }

  private func write(_ field: Field, _ index: Int, to page: inout MarkupWriter) {
    func content(_ page: inout MarkupWriter) {
      page.element("bdi", text: field.text)
      if !field.detail.isEmpty { page.element("small", text: field.detail) }
      if let quality = field.quality {
        page.element(
          "i",
          ["class": "band \(quality.rawValue)", "title": "\(quality.rawValue) over trials"]
        ) { page in
          page.text(quality.mark)
          page.element("span", ["class": "unseen"], text: " " + quality.rawValue)
        }
      }
    }
    if index == 0 {
      page.element("th", ["scope": "row"], content)
    } else if let order = field.order {
      page.element(
        "td", ["class": headings[index].isNumber ? "number" : "", "data-v": "\(order)"], content)
    } else {
      page.element("td", ["class": headings[index].isNumber ? "number" : ""], content)
    }
  }
}
