import SeededRandom
import Testing
import Text

struct NearestNameTests {
    private static let names = ["brightness", "color", "state", "tx", "level"]

    @Test(arguments: [
        ("colour", "color"), ("Color", "color"), ("brigthness", "brightness"), ("stat", "state"),
        ("xt", "tx"),
        ("levle", "level"),
    ])
    func `a misspelt name finds the intended one`(name: String, meant: String) {
        #expect(NearestName.to(name, among: Self.names) == meant)
    }

    @Test(arguments: ["", "warmth", "c", String(repeating: "brightness", count: 10_000)])
    func `a name that resembles none finds none`(name: String) {
        #expect(NearestName.to(name, among: Self.names) == nil)
        #expect(NearestName.hint(for: name, among: Self.names).isEmpty)
    }

    /// Slow and plain: the whole table.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var table = (0...left.count).map { row in (0...right.count).map { row == 0 ? $0 : $0 == 0 ? row : 0 }
        }
        for i in left.indices {
            for j in right.indices {
                var least = min(
                    table[i][j] + (left[i] == right[j] ? 0 : 1),
                    table[i][j + 1] + 1,
                    table[i + 1][j] + 1
                )
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    least = min(least, table[i - 1][j - 1] + 1)
                }
                table[i + 1][j + 1] = least
            }
        }
        return table[left.count][right.count]
    }

    @Test func `it is the first of the nearest names, as a comparison of all letters finds it`() {
        var generator = SplitMix64(seed: 5)
        func name() -> String {
            String(
                (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                    "abc".randomElement(using: &generator) ?? "a"
                }
            )
        }
        for _ in 0..<3000 {
            let (wanted, candidates) = (name(), (0..<6).map { _ in name() })
            let limit = wanted.count < 5 ? 1 : wanted.count < 9 ? 2 : 3
            let slips = candidates.map {
                Self.distance(Array(wanted.unicodeScalars), Array($0.unicodeScalars))
            }
            let nearest = slips.min().flatMap { least in
                least <= limit ? slips.firstIndex(of: least).map { candidates[$0] } : nil
            }
            #expect(NearestName.to(wanted, among: candidates) == nearest, "\(wanted) among \(candidates)")
        }
    }

    @Test func `of more than a thousand names only the first are looked at`() {
        let names = (0..<1000).map { "another \($0)" }
        #expect(NearestName.to("lamp", among: names.dropLast() + ["lamb"]) == "lamb")
        #expect(NearestName.to("lamp", among: names + ["lamb"]) == nil)
    }

    @Test func `of equally near names the first is suggested`() {
        #expect(NearestName.to("bat", among: ["cat", "hat"]) == "cat")
    }
}
