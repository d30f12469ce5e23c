import Testing
import TrilateralApp

struct ProgressBarTests {
    @Test func `a bar fits the terminal and is redrawn in place`() {
        var bar = ProgressBar("import", style: .bar(columns: 60))
        #expect(
            bar.update(done: 0, of: 200)
                == "\rimport [-------------------------------] 0 % (0 of 200)\u{1B}[K"
        )
        let half = bar.update(done: 100, of: 200)
        #expect(half == "\rimport [###############----------------] 50 % (100 of 200)\u{1B}[K")
        #expect(bar.update(done: 100, of: 200) == nil)
        #expect(bar.finish("200 objects") == "\r\u{1B}[Kimport: 200 objects\n")
    }

    @Test(arguments: [0, 1, 5, 12, 20, 33, 60, 200])
    func `no width is exceeded`(columns: Int) {
        var bar = ProgressBar("import", style: .bar(columns: columns))
        for done in [0, 1, 999, 1000] {
            guard let text = bar.update(done: done, of: 1000) else { continue }
            let visible = text.replacing("\r", with: "").replacing("\u{1B}[K", with: "")
            #expect(visible.count <= max(columns - 1, 0))
        }
    }

    @Test func `elsewhere there is a line for each tenth`() {
        var bar = ProgressBar("import", style: .lines)
        let lines = (0...1000).compactMap { bar.update(done: $0, of: 1000) }
        #expect(lines.count == 11)
        #expect(lines.first == "import: 0 % (0 of 1000)\n")
        #expect(lines.last == "import: 100 % (1000 of 1000)\n")
        #expect(bar.finish("done") == "import: done\n")
    }

    @Test func `without a total only the count is shown, and odd numbers do no harm`() {
        var bar = ProgressBar("read", style: .bar(columns: 40))
        #expect(bar.update(done: 7, of: 0) == "\rread 7\u{1B}[K")
        #expect(bar.update(done: 9, of: 3)?.contains("100 %") == true)
        #expect(bar.update(done: -1, of: 3)?.contains("0 %") == true)
    }
}
