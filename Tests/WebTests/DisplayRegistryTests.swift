import Controller
import Testing

@testable import Web

struct DisplayRegistryTests {
    private var registry = DisplayRegistry(grace: .seconds(10), maximum: 2)

    @Test mutating func `an open stream is a hidden display until that says that it is visible`() {
        #expect(registry.streamOpened(.init("a")) == .init(presence: .hidden))
        #expect(registry.visible == [])
        #expect(registry.set(.init("a"), .visible) == .init(presence: .visible))
        #expect(registry.visible == [DisplayName("a")])
        #expect(registry.set(.init("a"), .visible) == .init())
    }

    @Test mutating func `a closed stream is a display that is gone after the grace`() throws {
        _ = registry.streamOpened(.init("a"))
        _ = registry.set(.init("a"), .visible)
        let timer = try #require(registry.streamClosed(.init("a")).timer)
        #expect(timer.duration == .seconds(10))
        #expect(registry.visible == [DisplayName("a")])
        #expect(registry.expire(timer) == .init(presence: .gone))
        #expect(registry.visible == [])
        #expect(registry.expire(timer) == .init())
    }

    @Test mutating func `a stream that comes back in time changes nothing`() throws {
        _ = registry.streamOpened(.init("a"))
        _ = registry.set(.init("a"), .visible)
        let timer = try #require(registry.streamClosed(.init("a")).timer)
        #expect(registry.streamOpened(.init("a")) == .init())
        #expect(registry.expire(timer) == .init())
        #expect(registry.visible == [DisplayName("a")])
    }

    @Test mutating func `two streams of one display are one display`() {
        _ = registry.streamOpened(.init("a"))
        #expect(registry.streamOpened(.init("a")) == .init())
        #expect(registry.streamClosed(.init("a")) == .init())
        #expect(registry.streamClosed(.init("a")).timer != nil)
    }

    @Test mutating func `a display that says that it is gone is gone, though its stream ends later`() {
        _ = registry.streamOpened(.init("a"))
        #expect(registry.set(.init("a"), .gone) == .init(presence: .gone))
        #expect(registry.streamClosed(.init("a")) == .init())
        #expect(registry.streamOpened(.init("a")) == .init(presence: .hidden))
    }

    @Test mutating func `a display without a stream counts for ten minutes after it has spoken`() throws {
        let said = registry.set(.init("a"), .visible)
        let outcome = try #require(said)
        #expect(outcome.presence == .visible)
        #expect(outcome.timer?.duration == .seconds(600))
        let timer = try #require(outcome.timer)
        #expect(registry.expire(timer) == .init(presence: .gone))
        #expect(registry.set(.init("b"), .gone) == .init())
    }

    @Test mutating func `no more displays are known than are allowed`() {
        _ = registry.streamOpened(.init("a"))
        _ = registry.streamOpened(.init("b"))
        #expect(registry.streamOpened(.init("c")) == .init())
        #expect(registry.set(.init("c"), .visible) == nil)
        #expect(registry.set(.init("c"), .gone) == .init())
        #expect(registry.streamClosed(.init("c")) == .init())
    }

    @Test(arguments: [
        ("a", true), ("A-z_09", true), ("", false), ("a b", false), ("é", false), ("../x", false),
        (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
    ])
    func `an identifier has 1 to 64 plain characters`(id: String, isLegal: Bool) {
        #expect(DisplayRegistry.isLegal(id) == isLegal)
    }
}
