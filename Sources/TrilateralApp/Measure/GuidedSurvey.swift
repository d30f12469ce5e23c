import ArgumentParser
import Foundation
import Sensing

/// A command that leads a person from place to place: asks, waits for a key, and gathers what comes meanwhile.
struct GuidedSurvey<Item: Sendable> {
    enum Answer: Sendable, Hashable {
        case here, skip, again, quit
    }

    private enum Event: Sendable {
        case line(String)
        case inputEnded
        case item(Item)
        case tick
        case signal
        case sourceEnded(String)
    }

    private var events: AsyncStream<Event>.Iterator
    /// What was answered before it was asked, by a pipe; what a person types too early is no answer.
    private var early: [String] = []
    private var isInputOver = false
    private let keepsEarly = isatty(STDIN_FILENO) == 0

    /// Runs the body with lines of standard input, signals, and the items of a source.
    ///
    /// - Parameter source: Tells items until it is cancelled; a text that it returns says why it ended.
    static func run<Result: Sendable>(
        source: @escaping @Sendable (@escaping @Sendable (Item) -> Void) async -> String?,
        _ body: (inout GuidedSurvey) async throws -> Result
    ) async throws -> Result {
        let (events, port) = AsyncStream.makeStream(of: Event.self)
        // Before the first prompt, which a person may answer with Ctrl-C at once.
        let signals = SignalStream([SIGINT, SIGTERM])
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                if let reason = await source({ port.yield(.item($0)) }) { port.yield(.sourceEnded(reason)) }
            }
            group.addTask {
                for await _ in signals.numbers { port.yield(.signal) }
            }
            group.addTask {
                for await line in StandardInput.lines() { port.yield(.line(line)) }
                port.yield(.inputEnded)
            }
            group.addTask {
                while (try? await Task.sleep(for: .milliseconds(250))) != nil { port.yield(.tick) }
            }
            defer {
                port.finish()
                group.cancelAll()
            }
            var stops = GuidedSurvey(events: events.makeAsyncIterator())
            return try await body(&stops)
        }
    }

    private init(events: AsyncStream<Event>.Iterator) { self.events = events }

    /// What follows a visit.
    enum Step: Sendable, Hashable {
        case next, stay, end
    }

    /// Leads from one stop to the next.
    ///
    /// - Parameters:
    ///   - prompt: Says where to go.
    ///   - visit: Does what is to be done there.
    mutating func walk(
        through count: Int,
        prompt: (Int) -> String,
        visit: (inout GuidedSurvey, Int) async throws -> Step
    ) async throws {
        var stop = 0
        // Who has nothing more to say is asked nothing.
        while stop < count, !early.isEmpty || !isInputOver {
            let text = "\(stop + 1) of \(count): \(prompt(stop))"
            switch try await ask(text, canRepeat: stop > 0) {
            case .quit: return
            case .skip: stop += 1
            case .again: stop -= 1
            case .here:
                switch try await visit(&self, stop) {
                case .next: stop += 1
                case .stay: break
                case .end: return
                }
            }
        }
    }

    /// Asks a person to go somewhere, and waits for the word.
    private mutating func ask(_ prompt: String, canRepeat: Bool) async throws -> Answer {
        let keys = "Enter when there, s skips" + (canRepeat ? ", r repeats the last" : "") + ", q ends"
        StandardError.print("\(prompt) [\(keys)]")
        while let line = try await nextLine() {
            switch line.trimmingCharacters(in: .whitespaces).lowercased() {
            case "": return .here
            case "s": return .skip
            case "r" where canRepeat: return .again
            case "q": return .quit
            default: StandardError.report(keys)
            }
        }
        return .quit
    }

    /// `nil` when there are no more, or a signal ends it.
    private mutating func nextLine() async throws -> String? {
        if !early.isEmpty { return early.removeFirst() }
        if isInputOver { return nil }
        while let event = await events.next(isolation: #isolation) {
            switch event {
            case .line(let line): return line
            case .inputEnded:
                isInputOver = true
                return nil
            case .signal: return nil
            case .sourceEnded(let reason): throw VerbError(reason, .unavailable)
            case .item, .tick: break
            }
        }
        return nil
    }

    /// Gathers items for a time, with a bar that shows how far it is.
    ///
    /// - Returns: Whether the time is over; `false` when the person ended it.
    mutating func gather(
        _ label: String,
        for seconds: Double,
        _ take: (Item) -> Void
    ) async throws -> Bool {
        var bar = ProgressBar.onStandardError(label, environment: ProcessInfo.processInfo.environment)
        let start = RuntimeClock.steadySeconds()
        while let event = await events.next(isolation: #isolation) {
            let elapsed = RuntimeClock.steadySeconds() - start
            switch event {
            case .item(let item): take(item)
            case .tick:
                bar.show(done: Int(min(elapsed, seconds)), of: Int(seconds.rounded(.up)))
                guard elapsed >= seconds else { continue }
                bar.end("done")
                return true
            case .signal:
                bar.end("ended")
                return false
            case .line(let line): if keepsEarly { early.append(line) }
            case .inputEnded: isInputOver = true
            case .sourceEnded(let reason): throw VerbError(reason, .unavailable)
            }
        }
        return false
    }

    /// Waits for the last item of a visit, with a bar that shows how far it is.
    ///
    /// - Parameters:
    ///   - seconds: How long it usually takes.
    ///   - isLast: Also sees all items before.
    /// - Returns: The last item; `nil` when the person ended it.
    mutating func wait(
        _ label: String,
        for seconds: Double,
        until isLast: (Item) -> Bool
    ) async throws -> Item? {
        var bar = ProgressBar.onStandardError(label, environment: ProcessInfo.processInfo.environment)
        let start = RuntimeClock.steadySeconds()
        while let event = await events.next(isolation: #isolation) {
            switch event {
            case .item(let item):
                guard isLast(item) else { continue }
                bar.end("done")
                return item
            case .tick:
                let elapsed = RuntimeClock.steadySeconds() - start
                bar.show(done: Int(min(elapsed, seconds)), of: Int(seconds.rounded(.up)))
            case .signal:
                bar.end("ended")
                return nil
            case .line(let line): if keepsEarly { early.append(line) }
            case .inputEnded: isInputOver = true
            case .sourceEnded(let reason): throw VerbError(reason, .unavailable)
            }
        }
        return nil
    }
}
