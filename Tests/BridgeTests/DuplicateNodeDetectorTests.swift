import Bridge
import Testing

struct DuplicateNodeDetectorTests {
    @Test func `a second daemon is answered once in five seconds`() {
        var detector = DuplicateNodeDetector()
        detector.linkCameUp()
        let outcomes = [0, 4_999, 5_000].map { detector.receive("b", at: $0) }
        #expect(outcomes == [.answer, .recorded, .answer])
        #expect(!detector.isEmpty)
    }

    @Test func `an info that arrives after its link was lost does not count`() {
        var detector = DuplicateNodeDetector()
        detector.linkCameUp()
        let first = detector.receive("b", at: 0)
        detector.linkWentDown()
        detector.removeAll()
        let late = detector.receive("b", at: 10)
        #expect(first == .answer && late == .ignored)
        #expect(detector.isEmpty)
        detector.linkCameUp()
        let next = detector.receive("b", at: 20)
        #expect(next == .answer)
    }
}
