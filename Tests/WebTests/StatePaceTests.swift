import JSON
import Testing
@testable import Web

struct StatePaceTests {
    private var pace = StatePace(interval: 1000)

    private static func feed(zone: String = "hall", x: Double = 0, sequence: Int = 1) -> JSONValue {
        [
            "seq": JSONValue(sequence), "ts": .string("t\(sequence)"), "zone": ["slug": .string(zone)],
            "device": ["name": "d", "position": ["x": .number(x)]],
            "nearby": ["id": "n", "distance_m": .number(x)],
        ]
    }

    @Test mutating func `a change is sent at once, and an equal state never`() {
        #expect(pace.decide(Self.feed(), at: 0) == .send)
        #expect(pace.decide(Self.feed(sequence: 2), at: 1) == .nothing)
        #expect(pace.decide(Self.feed(zone: "kitchen"), at: 2) == .send)
    }

    @Test mutating func `pure movement is sent once in an interval, the last of it too`() {
        #expect(pace.decide(Self.feed(), at: 0) == .send)
        #expect(pace.decide(Self.feed(x: 1), at: 100) == .wait(milliseconds: 900))
        #expect(pace.decide(Self.feed(x: 2), at: 200) == .nothing)
        pace.waited()
        #expect(pace.decide(Self.feed(x: 2), at: 1000) == .send)
        #expect(pace.decide(Self.feed(x: 3), at: 5000) == .send)
    }

    @Test mutating func `another change does not wait for the movement`() {
        #expect(pace.decide(Self.feed(), at: 0) == .send)
        #expect(pace.decide(Self.feed(x: 1), at: 100) == .wait(milliseconds: 900))
        #expect(pace.decide(Self.feed(zone: "kitchen", x: 2), at: 200) == .send)
        pace.waited()
        #expect(pace.decide(Self.feed(zone: "kitchen", x: 2), at: 1000) == .nothing)
    }

    @Test mutating func `the state with which a recording begins is not sent again`() {
        pace.begin(with: Self.feed())
        #expect(pace.decide(Self.feed(sequence: 9), at: 0) == .nothing)
        #expect(pace.decide(Self.feed(x: 1), at: 0) == .send)
    }
}
