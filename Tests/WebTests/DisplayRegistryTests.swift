import Controller
import Testing

@testable import Web

struct DisplayRegistryTests {
    private var registry = DisplayRegistry(grace: .seconds(10), maximum: 2)
    private let a = DisplayPage(.init("a"))
    private let b = DisplayPage(.init("b"))
    /// Two pages that show one display.
    private let first = DisplayPage(.init("a"), page: "1")
    private let second = DisplayPage(.init("a"), page: "2")

    @Test mutating func `an open stream is a hidden display until that says that it is visible`() {
        #expect(registry.streamOpened(a) == .init(presence: .hidden))
        #expect(registry.visible == [])
        #expect(registry.set(a, .visible) == .init(presence: .visible))
        #expect(registry.visible == [DisplayName("a")])
        #expect(registry.set(a, .visible) == .init())
    }

    @Test mutating func `a closed stream is a display that is gone after the grace`() throws {
        _ = registry.streamOpened(a)
        _ = registry.set(a, .visible)
        let timer = try #require(registry.streamClosed(a).timer)
        #expect(timer.duration == .seconds(10))
        #expect(registry.visible == [DisplayName("a")])
        #expect(registry.expire(timer) == .init(presence: .gone))
        #expect(registry.visible == [])
        #expect(registry.expire(timer) == .init())
    }

    @Test mutating func `a stream that comes back in time changes nothing`() throws {
        _ = registry.streamOpened(a)
        _ = registry.set(a, .visible)
        let timer = try #require(registry.streamClosed(a).timer)
        #expect(registry.streamOpened(a) == .init())
        #expect(registry.expire(timer) == .init())
        #expect(registry.visible == [DisplayName("a")])
    }

    @Test mutating func `two streams of one page are one display`() {
        _ = registry.streamOpened(a)
        #expect(registry.streamOpened(a) == .init())
        #expect(registry.streamClosed(a) == .init())
        #expect(registry.streamClosed(a).timer != nil)
    }

    @Test mutating func `a page that says that it is gone is there until its stream ends, and not seen`() {
        _ = registry.streamOpened(a)
        _ = registry.set(a, .visible)
        #expect(registry.set(a, .gone) == .init(presence: .hidden))
        #expect(registry.streamClosed(a) == .init(presence: .gone))
        #expect(registry.streamOpened(a) == .init(presence: .hidden))
    }

    @Test(arguments: [Lifecycle.DisplayPresence.visible, .hidden])
    mutating func `a page that speaks again after it said that it is gone has the grace of any other`(
        presence: Lifecycle.DisplayPresence
    ) {
        _ = registry.streamOpened(a)
        _ = registry.set(a, .gone)
        _ = registry.set(a, presence)
        #expect(registry.streamClosed(a).timer?.duration == .seconds(10))
        #expect(registry.streamOpened(a) == .init())
    }

    @Test mutating func `a display is visible while one of its pages is, whatever the others say`() throws {
        _ = registry.streamOpened(first)
        #expect(registry.streamOpened(second) == .init())
        #expect(registry.set(first, .visible) == .init(presence: .visible))
        #expect(registry.set(second, .visible) == .init())
        #expect(registry.set(second, .hidden) == .init())
        #expect(registry.set(second, .gone) == .init())
        #expect(registry.streamClosed(second) == .init())
        #expect(registry.set(a, .gone) == .init())
        #expect(registry.visible == [DisplayName("a")])
        #expect(registry.set(first, .hidden) == .init(presence: .hidden))
        let timer = try #require(registry.streamClosed(first).timer)
        #expect(registry.expire(timer) == .init(presence: .gone))
    }

    @Test mutating func `of pages without a name, one that goes takes no other along`() {
        _ = registry.streamOpened(a)
        _ = registry.streamOpened(a)
        _ = registry.set(a, .visible)
        #expect(registry.set(a, .gone) == .init())
        #expect(registry.streamClosed(a) == .init())
        #expect(registry.visible == [DisplayName("a")])
        #expect(registry.streamClosed(a).timer?.duration == .seconds(10))
    }

    @Test mutating func `a page without a stream counts for ten minutes after it has spoken`() throws {
        let said = registry.set(a, .visible)
        let outcome = try #require(said)
        #expect(outcome.presence == .visible)
        #expect(outcome.timer?.duration == .seconds(600))
        let timer = try #require(outcome.timer)
        #expect(registry.expire(timer) == .init(presence: .gone))
        #expect(registry.set(b, .gone) == .init())
    }

    @Test mutating func `a page that gives its stream back and says that it is hidden keeps its display`()
        throws
    {
        _ = registry.streamOpened(first)
        let grace = try #require(registry.streamClosed(first).timer)
        let said = registry.set(first, .hidden)
        #expect(said?.timer?.duration == .seconds(600))
        #expect(registry.expire(grace) == .init())
        #expect(registry.hasStream("a"))
    }

    @Test mutating func `no more pages are known than are allowed`() {
        let c = DisplayPage(.init("c"))
        _ = registry.streamOpened(a)
        _ = registry.streamOpened(b)
        #expect(registry.streamOpened(c) == .init())
        #expect(registry.set(c, .visible) == nil)
        #expect(registry.set(c, .gone) == .init())
        #expect(registry.streamClosed(c) == .init())
    }

    @Test(arguments: [
        ("a", true), ("A-z_09", true), ("", false), ("a b", false), ("é", false), ("../x", false),
        (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
    ])
    func `an identifier has 1 to 64 plain characters`(id: String, isLegal: Bool) {
        #expect(DisplayRegistry.isLegal(id) == isLegal)
    }
}
