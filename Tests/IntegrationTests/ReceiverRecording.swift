import Foundation

/// What receivers have published, to be published again at its own pace.
///
/// The daemon dates a report when it comes, so a recording is never played faster than it was made.
struct ReceiverRecording: Sendable, Hashable {
    struct Message: Sendable, Hashable {
        /// Since the start of the recording.
        let milliseconds: Int
        var topic: String
        let payload: String
    }

    struct MissingFieldError: Error { let line: String }

    private(set) var messages: [Message]

    init(_ messages: [Message]) { self.messages = messages }

    // MARK: Files

    /// Reads lines of milliseconds, topic and payload; those with # are comments.
    init(text: String) throws {
        messages = try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let fields = line.split(separator: " ", maxSplits: 2).map(String.init)
            guard fields.count == 3, let milliseconds = Int(fields[0]) else {
                throw MissingFieldError(line: String(line))
            }
            return Message(milliseconds: milliseconds, topic: fields[1], payload: fields[2])
        }
    }

    var text: String { messages.map { "\($0.milliseconds) \($0.topic) \($0.payload)\n" }.joined() }

    /// A recording of the folder `Recordings`.
    init(named name: String) throws {
        let url = try Self.url(in: Bundle.module.resourceURL, name)
        try self.init(text: String(contentsOf: url, encoding: .utf8))
    }

    struct NoFolderError: Error {}

    private static func url(in folder: URL?, _ name: String) throws -> URL {
        guard let folder else { throw NoFolderError() }
        return folder.appending(path: "Recordings/\(name)")
    }

    // MARK: Changes

    /// The same below another first level, so that daemons on one broker do not hear each other's receivers.
    func published(below base: String) -> ReceiverRecording {
        changed { ([base] + $0.dropFirst()).joined(separator: "/") }
    }

    /// The same, as if two receivers hung in each other's place.
    func exchanging(_ one: String, _ other: String) -> ReceiverRecording {
        changed { levels in
            let name = levels.last ?? ""
            let exchanged = name == one ? other : name == other ? one : name
            return (levels.dropLast() + [exchanged]).joined(separator: "/")
        }
    }

    private func changed(_ topic: ([String]) -> String) -> ReceiverRecording {
        ReceiverRecording(
            messages.map { message in
                var message = message
                message.topic = topic(message.topic.components(separatedBy: "/"))
                return message
            }
        )
    }

    // MARK: Playing

    /// Plays it from a point to the end, again and again, until the task is cancelled.
    func play(from start: Int = 0, _ publish: (Message) -> Void) async {
        let part = messages.filter { $0.milliseconds >= start }
        guard let end = part.last?.milliseconds else { return }
        var began = ContinuousClock.now
        while true {
            for message in part {
                let time = began + .milliseconds(message.milliseconds - start)
                guard (try? await Task.sleep(until: time)) != nil else { return }
                publish(message)
            }
            began += .milliseconds(end - start)
        }
    }
}
