import Controller
import Testing
import Things

struct CommandFiguresTests {
    @Test func `answers are counted by their code, and what they took by powers of two`() {
        var figures = CommandFigures()
        for wait in [0, 1, 2, 3, 5] as [Int64] { figures.record(nil, milliseconds: wait) }
        figures.record(.badJSON, milliseconds: nil)
        figures.record(.badJSON, milliseconds: 70_000)
        #expect(figures.accepted == 5 && figures.refused == [.badJSON: 2])
        #expect(figures.count == 6 && figures.totalMilliseconds == 70_011)
        let counts = Dictionary(figures.buckets.map { ($0.limit, $0.count) }) { $1 }
        #expect(counts[0.001] == 1 && counts[0.002] == 2 && counts[0.004] == 4 && counts[0.008] == 5)
        #expect(figures.buckets.last?.count == 5)
    }

    @Test func `a clock that goes back, and one that jumps far ahead, are no end`() {
        var figures = CommandFigures()
        figures.record(nil, milliseconds: -5)
        figures.record(nil, milliseconds: .max)
        #expect(figures.count == 2 && figures.buckets.first?.count == 1)
    }
}
