import ArgumentParser
import Controller
import Daemon
import Flare
package import JSON
import Messages
import Text
import Things

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
    @OptionGroup var speaker: SpeakerOptions

    func validate() throws { _ = try drive.target(target) }

    func run() async throws {
        let target = try drive.target(target)
        if let outcome = target.knownOutcome {
            return try drive.report(DriveReport(outcome, asJSON: drive.json))
        }
        let question = target.question.with(try speaker.members())
        let (outcome, read) = try await drive.ask(question, reading: target.reading)
        let report = DriveReport(target.completed(outcome, with: read), asJSON: drive.json)
        try drive.report(report)
    }
}

/// What `get` asks for a target, and how the answer is put together.
extension DriveTarget {
    var question: DriveExchange.Question {
        switch self {
        case .thing(let name): .command(CommandDescriptor.thingGet.topic(name), members: [:])
        default: stateTopic.map { self == .nearby ? .ping : .state(topic: $0) } ?? .ping
        }
    }

    /// What comes of it without asking anybody.
    package var knownOutcome: DriveExchange.Outcome? {
        guard case .sensor(let name) = self, SensorKind(rawValue: name) == nil else { return nil }
        return .unknown(SensorKind.absence(of: name))
    }

    /// What is read besides.
    var reading: [String] {
        let topics = Topics.tails
        return switch self {
        case .thing: [topics.data(thing: "+"), topics.availability(thing: "+")]
        case .nearby: [topics.nearby, topics.nearbyAvailability, topics.data(thing: "+")]
        case .alerts: [topics.alert("+")]
        case .namedZone: [topics.object(.zone, "+"), topics.lights(zone: "+")]
        case .namedEnvironment: [topics.object(.environment, "+")]
        case .device, .environment, .zone, .state, .health, .info, .lifecycle, .lifecyclePart, .sensor: []
        }
    }

    /// The outcome with what was read besides.
    package func completed(
        _ outcome: DriveExchange.Outcome,
        with read: JSONObject
    ) -> DriveExchange.Outcome {
        switch (self, outcome) {
        case (.thing, .state(let thing)):
            let availability = thing["slug"]?.string.flatMap { read[Topics.tails.availability(thing: $0)] }
            return .state(thing.withValues(read, availability))
        case (.nearby, .answer):
            guard let thing = read[Topics.tails.nearby] else {
                return .unknown("nothing is known of nearby yet")
            }
            if thing["id"]?.string == nil { return .state(thing) }
            return .state(thing.withValues(read, read[Topics.tails.nearbyAvailability]))
        case (.alerts, .answer):
            let alerts = read.filter { $0.key.hasPrefix(Topics.tails.alert("")) }.sorted { $0.key < $1.key }
                .map(\.value)
            return .state(.array(alerts))
        case (.namedZone(let name), .answer):
            return found(name, of: "zones", called: "zone", in: read) { zone, topic in
                var zone = zone
                zone["lights"] = read[topic + "/lights"]
                return zone
            }
        case (.namedEnvironment(let name), .answer):
            return found(name, of: "environments", called: "environment", in: read) { object, _ in object }
        default: return outcome
        }
    }

    /// An object by slug or identifier, else by its name.
    private func found(
        _ word: String,
        of kind: String,
        called noun: String,
        in read: JSONObject,
        _ complete: (JSONObject, _ topic: String) -> JSONObject
    ) -> DriveExchange.Outcome {
        let objects = read.filter { $0.key.hasPrefix(kind + "/") && $0.key.split(separator: "/").count == 2 }
        let found =
            objects.filter { $0.key == "\(kind)/\(word)" || $0.value["id"]?.string == word }.first
            ?? objects.filter { $0.value["name"]?.string?.lowercased() == word.lowercased() }
            .min { $0.key < $1.key }
        if let found, let members = found.value.object {
            return .state(.object(complete(members, found.key)))
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
