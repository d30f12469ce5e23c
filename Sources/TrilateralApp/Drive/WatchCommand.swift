import ArgumentParser
import Foundation
import JSON
import MQTT
import Messages
import Sensing

/// `trilateral watch`: what happens here, live.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show the device and all events, live.",
        discussion:
            """
            On a terminal the view is redrawn in place until Ctrl-C, with the compass and the map beside it if there is \
            room for them (74 columns and 18 rows) and the locale is UTF-8; NO_COLOR is respected. In a pipe each event is one line: the local time, \
            the subject, and what happened. It ends when the reader of the pipe ends. Times in JSON are UTC.
            """
    )

    @OptionGroup var broker: BrokerOptions

    @Option(
        help: ArgumentHelp("How long to look for the daemon if --node is not given.", valueName: "seconds")
    )
    var timeout = 5.0

    @Flag(help: "Print each message as one line of JSON: topic and payload.")
    var json = false

    @Flag(help: "Show no compass and no map.")
    var noPictures = false

    func validate() throws {
        guard (0.1...3600).contains(timeout) else {
            throw ValidationError("--timeout must be 0.1 to 3600 seconds.")
        }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let isLive = !json && Terminal.output.isCapable(environment: environment)
        // On a terminal a signal tells that it is gone.
        let output = isLive ? nil : Terminal.output
        let daemon = try await broker.daemon(
            timeout: .milliseconds(Int64(timeout * 1000)),
            output: output
        )
        let session = BrokerSession(daemon.link)
        let filters = WatchModel.filters.map { "\(daemon.root)/\($0)" }
        let signals = isLive ? [SIGINT, SIGTERM, SIGHUP, SIGWINCH] : []
        let failure: (any Error)? = await session.run(
            filters: filters,
            timeout: nil,
            signals: signals,
            output: output
        ) { visit in
            let pictures = noPictures ? nil : ColourDepth(ofTerminal: environment)
            var loop = WatchLoop(root: daemon.root, pictures: pictures)
            do {
                return try await isLive ? loop.runLive(visit) : loop.runLines(visit, asJSON: json)
            } catch {
                return error
            }
        }
        switch failure {
        case nil: break
        // It is meant to go on until nobody reads it.
        case let failure as OutputError where failure.isReaderGone: break
        case let failure as MQTTError: throw VerbError(failure)
        case let failure?: throw failure
        }
    }
}

/// The loop of `watch`: messages and signals in, lines or pictures out.
private struct WatchLoop {
    private let root: String
    private let pictures: ColourDepth?
    private var model = WatchModel(time: .ofThisMachine)

    /// - Parameter pictures: The colours of the pictures; `nil` for no pictures.
    init(root: String, pictures: ColourDepth?) { (self.root, self.pictures) = (root, pictures) }

    /// - Returns: Why it ended, when it was not by a signal.
    mutating func runLive(_ visit: BrokerSession.Visit) async throws(OutputError) -> MQTTError? {
        var painter = TerminalPainter()
        var isDirty = true
        try StandardOutput.draw(TerminalPainter.enter)
        defer { try? StandardOutput.draw(TerminalPainter.leave) }
        visit.wake(after: .zero)
        for await event in visit.events {
            switch event {
            case .signal(SIGWINCH):
                try StandardOutput.draw(painter.reset())
                isDirty = true
            case .signal: return nil
            case .woken:
                // At most twenty pictures a second, however much happens.
                visit.wake(after: .milliseconds(50))
                guard isDirty else { continue }
                isDirty = false
                let size = Terminal.output.size
                let screen = WatchScreen(
                    root: root,
                    columns: size.columns,
                    rows: size.rows,
                    pictures: pictures
                )
                try StandardOutput.draw(painter.paint(screen.lines(model)))
            case .link(.disconnected(let error)) where error.isFinal: return error
            case .link(.connected):
                model.linkProblem = nil
                isDirty = true
            case .link(.disconnected(let error)):
                model.linkProblem = "\(error)"
                isDirty = true
            case .message(let message):
                _ = hear(message)
                isDirty = true
            case .link(.refused), .link(.drained), .deadline, .acknowledged: break
            }
        }
        return nil
    }

    /// - Returns: Why it ended; `nil` when nobody reads what is written any more.
    mutating func runLines(
        _ visit: BrokerSession.Visit,
        asJSON: Bool
    ) async throws(OutputError) -> MQTTError? {
        var wasLinked = false
        for await event in visit.events {
            switch event {
            case .signal: return nil
            case .link(.disconnected(let error)) where error.isFinal: return error
            case .link(.disconnected(let error)): StandardError.report("\(error)")
            case .link(.connected):
                // A broker also ends the link to who does not read, such as a verb that is stopped, or whose reader is.
                if wasLinked {
                    StandardError.report("the broker is back; events since the link was lost are missing")
                }
                wasLinked = true
            case .message(let message):
                let line = hear(message)
                if asJSON {
                    let payload = JSONValue(retained: message.payload)
                    let object: JSONValue = ["topic": .string(message.topic), "payload": payload]
                    try StandardOutput.print(object.text)
                } else if let line {
                    try StandardOutput.print(line)
                }
            case .link(.refused), .link(.drained), .deadline, .woken, .acknowledged: break
            }
        }
        return nil
    }

    private mutating func hear(_ message: MQTTMessage) -> String? {
        model.hear(
            topic: String(message.topic.dropFirst(root.count + 1)),
            payload: message.payload,
            at: RuntimeClock.now().timestamp
        )
    }
}
