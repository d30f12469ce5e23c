import ArgumentParser
import Controller
import Daemon
import Flare
package import JSON
import Messages
import Text

/// `trilateral get`: what the daemon knows of something.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Show all values of a thing, a zone, the environment, the device, or the daemon.",
        discussion: """
            Examples: trilateral get desk-lamp; trilateral get zones/kitchen; trilateral get alerts. trilateral list \
            shows the names. Exits with 1 if there is nothing of that name.
            """
    )

    @Argument(help: "\(DriveTarget.all).", completion: .targets)
    var target: String

    @OptionGroup var drive: DriveOptions
    @OptionGroup var caller: CallerOptions

    func validate() throws { _ = try drive.target(target) }

    func run() async throws {
        let target = try drive.target(target)
        if let outcome = target.knownOutcome {
            return try drive.report(DriveReport(outcome, asJSON: drive.json))
        }
        let sender = try caller.members()
        let question = target.question.with(sender)
        let (outcome, read) = try await drive.ask(question, reading: target.reading)
        let report = DriveReport(target.completed(outcome, with: read), asJSON: drive.json, sender: sender)
        try drive.report(report)
    }
}

/// What `get` asks for a target, and how the answer is put together.
extension DriveTarget {
    var question: DriveExchange.Question {
        switch self {
        case .named(.things, let name): .command(CommandDescriptor.thingGet.topic(name), members: [:])
        case .word(.nearby): .ping
        case .word, .named: stateTopic.map { .state(topic: $0) } ?? .ping
        }
    }

    /// What comes of it without asking anybody.
    package var knownOutcome: DriveExchange.Outcome? {
        guard case .named(.sensors, let name) = self, SensorKind(rawValue: name) == nil else { return nil }
        return .unknown(SensorKind.absence(of: name))
    }

    /// What else is read.
    var reading: [String] {
        let topics = Topics.tails
        return switch self {
        case .named(.things, _): [topics.data(thing: "+"), topics.availability(thing: "+")]
        case .word(.nearby): [topics.nearby, topics.nearbyAvailability, topics.data(thing: "+")]
        case .word(.alerts): [topics.alert("+")]
        case .named(.zones, _): [topics.object(.zone, "+"), topics.lights(zone: "+")]
        case .named(.environments, _): [topics.object(.environment, "+")]
        case .word, .named: []
        }
    }

    /// The outcome with what else was read.
    package func completed(
        _ outcome: DriveExchange.Outcome,
        with read: JSONObject
    ) -> DriveExchange.Outcome {
        switch (self, outcome) {
        case (.named(.things, _), .state(let thing)):
            let availability = thing["slug"]?.string.flatMap { read[Topics.tails.availability(thing: $0)] }
            return .state(thing.withValues(read, availability))
        case (.word(.nearby), .answer):
            guard let thing = read[Topics.tails.nearby] else {
                return .unknown("nothing is known of nearby yet")
            }
            if thing["id"]?.string == nil { return .state(thing) }
            return .state(thing.withValues(read, read[Topics.tails.nearbyAvailability]))
        case (.word(.alerts), .answer):
            let alerts = read.filter { $0.key.hasPrefix(Topics.tails.alert("")) }.sorted { $0.key < $1.key }
                .map(\.value)
            return .state(.array(alerts))
        case (.named(.zones, let name), .answer):
            return found(name, "zone", in: read)
        case (.named(.environments, let name), .answer):
            return found(name, "environment", in: read)
        default: return outcome
        }
    }

    /// An object by slug or identifier, else by its name.
    private func found(_ word: String, _ noun: String, in read: JSONObject) -> DriveExchange.Outcome {
        let kind = noun + "s"
        let objects = read.filter { $0.key.hasPrefix(kind + "/") && $0.key.split(separator: "/").count == 2 }
        let found =
            objects.filter { $0.key == "\(kind)/\(word)" || $0.value["id"]?.string == word }.first
            ?? objects.filter { $0.value["name"]?.string?.lowercased() == word.lowercased() }
            .min { $0.key < $1.key }
        if let found, var members = found.value.object {
            // Only zones have them.
            if let lights = read[found.key + "/lights"] { members["lights"] = lights }
            return .state(.object(members))
        }
        let all = objects.keys.map { String($0.dropFirst(kind.count + 1)) }.sorted()
        let hint = NearestName.hint(for: word, among: all)
        let rest = all.isEmpty ? "; there is none" : "; there are: \(all.prefix(20).joined(separator: ", "))"
        let reason = "there is no \(noun) \(QuotedValue.of(word))" + (hint.isEmpty ? rest : hint)
        return .unknown(TerminalText.visible(reason))
    }
}

extension DriveExchange.Question {
    /// Asks for nothing but an answer: what is retained comes before it.
    static let ping = Self.command(CommandDescriptor.ping.topic(), members: [:])

    /// The same question with more members, if it is a command; topics are read without any.
    func with(_ added: JSONObject) -> Self {
        guard case .command(let topic, let members) = self else { return self }
        return .command(topic, members: members.merging(added) { $1 })
    }
}

extension JSONValue {
    /// A thing with its data and its availability.
    fileprivate func withValues(_ read: JSONObject, _ availability: JSONValue?) -> JSONValue {
        guard var members = object else { return self }
        members["data"] = members["slug"]?.string.flatMap { read[Topics.tails.data(thing: $0)] }
        members["availability"] = availability
        return .object(members)
    }
}
