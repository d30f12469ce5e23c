import Flare
import JSON
import Text
import Things

/// The latest commands and their outcomes, for explanations.
///
/// It keeps no values, only names of bounded length.
struct CommandJournal: Sendable {
    struct Entry: Sendable {
        var ticket: Int
        var actor: Command.Actor
        var tx: JSONValue?
        /// The requested operation, such as `set color of desk-lamp`.
        var request: Request
        var receivedAt: Instant
        var answer: Outcome?
    }

    /// A requested operation, converted to text only on demand.
    enum Request: Sendable {
        case set(Command.Target, attributes: [String])
        case action(Command.Target, name: String)
        case get(Command.Target)
        case setDevice
        case chooseEnvironment
        case switchSensor(SensorKind, on: Bool)
        case setLifecycle(Command.LifecycleChange.Name)
        case show(ScreenCall.Name, display: String)
        case add(FlareClass)
        case edit(FlareClass, String)
        case remove(FlareClass, String)
        case readPlace
        case verb(String)
        /// Refused because it could not be parsed.
        case unreadable
    }

    struct Outcome: Sendable {
        var at: Instant
        var target: String?
        var rejected: [String: RefusalCode]
        var refusal: Refusal?
    }

    /// Maximum number of recorded commands.
    static let capacity = 256

    private var entries: [Entry] = []
    /// Index of the next entry once the journal is full.
    private var next = 0

    mutating func received(_ command: Command, at now: Instant) {
        // An explanation request must not hide the command it asks about.
        if case .request(.explain) = command.order { return }
        // Pages read places for themselves.
        if case .readPlace = command.order { return }
        append(
            Entry(
                ticket: command.ticket,
                actor: command.actor,
                tx: command.tx,
                request: Request(command.order),
                receivedAt: now
            )
        )
    }

    mutating func answered(_ answer: Answer, at now: Instant) {
        guard let index = index(where: { $0.ticket == answer.ticket && $0.actor == answer.actor }) else {
            return
        }
        entries[index].answer = Outcome(answer, at: now)
    }

    /// Records a command that was refused before it reached the controller.
    mutating func refused(_ answer: Answer, at now: Instant) {
        append(
            Entry(
                ticket: 0,
                actor: answer.actor,
                tx: answer.tx,
                request: .unreadable,
                receivedAt: now,
                answer: Outcome(answer, at: now)
            )
        )
    }

    /// The newest command with this `tx`, compared as text; the newest of all if it is `nil`.
    func newest(tx: JSONValue?) -> Entry? {
        guard let tx else { return index { _ in true }.map { entries[$0] } }
        let wanted = tx.string ?? tx.text
        return index { $0.tx.map { $0.string ?? $0.text } == wanted }.map { entries[$0] }
    }

    private mutating func append(_ entry: Entry) {
        if entries.count < Self.capacity {
            entries.append(entry)
        } else {
            entries[next] = entry
            next = (next + 1) % Self.capacity
        }
    }

    /// Searches from the newest entry, because most answers belong to the last command.
    private func index(where isWanted: (Entry) -> Bool) -> Int? {
        for back in 1...Self.capacity where back <= entries.count {
            let index = (next - back + entries.count) % entries.count
            if isWanted(entries[index]) { return index }
        }
        return nil
    }
}

extension CommandJournal.Request {
    init(_ order: Command.Order) {
        switch order {
        case .set(let target, let request):
            let names = request.attributes.keys.prefix(8).map { QuotedValue.clipped($0, to: 40) }
            self = .set(target.shortened, attributes: names)
        case .action(let target, let name):
            self = .action(target.shortened, name: QuotedValue.clipped(name, to: 60))
        case .get(let target): self = .get(target.shortened)
        case .setDevice: self = .setDevice
        case .chooseEnvironment: self = .chooseEnvironment
        case .switchSensor(let sensor, let on): self = .switchSensor(sensor, on: on)
        case .setLifecycle(let change): self = .setLifecycle(change.name)
        case .show(let call, let display):
            self = .show(call.name, display: QuotedValue.clipped(display, to: 64))
        case .add(let kind, _, _): self = .add(kind)
        case .edit(let kind, let name, _, _): self = .edit(kind, QuotedValue.clipped(name, to: 64))
        case .remove(let kind, let name, _): self = .remove(kind, QuotedValue.clipped(name, to: 64))
        case .readPlace: self = .readPlace
        case .request(let verb): self = .verb(verb.name)
        }
    }

    /// The operation as text, such as `set color of desk-lamp`.
    /// - Parameter slug: The slug of the target, if it was resolved.
    func text(_ slug: String?) -> String {
        switch self {
        case .set(let target, let attributes):
            "set \(attributes.sorted().joined(separator: ", ")) of \(slug ?? target.words)"
        case .action(let target, let name): "action \(name) of \(slug ?? target.words)"
        case .get(let target): "get \(slug ?? target.words)"
        case .setDevice: "set the device"
        case .chooseEnvironment: "choose environment\(slug.map { " \($0)" } ?? "")"
        case .switchSensor(let sensor, let on): "switch \(sensor.rawValue) \(on ? "on" : "off")"
        case .setLifecycle(let name): "set \(name.rawValue) of the lifecycle"
        case .show(let call, let display): "\(call.rawValue) on display \(display)"
        case .add(let kind): "add \(kind.rawValue)\(slug.map { " \($0)" } ?? "")"
        case .edit(let kind, let name): "edit \(kind.rawValue) \(slug ?? name)"
        case .remove(let kind, let name): "remove \(kind.rawValue) \(slug ?? name)"
        case .readPlace: "read a place"
        case .verb(let verb): "request \(verb)"
        case .unreadable: "unreadable"
        }
    }
}

extension CommandJournal.Outcome {
    init(_ answer: Answer, at now: Instant) {
        at = now
        target = answer.target?.slug
        refusal = answer.refusal
        rejected = answer.rejected.count <= 8 ? answer.rejected : [:]
    }
}

extension Command.Target {
    /// The same target with names of bounded length.
    fileprivate var shortened: Self {
        switch self {
        case .nearby: .nearby(ifID: nil)
        case .thing(let name): .thing(QuotedValue.clipped(name, to: 60))
        case .zone(let name): .zone(QuotedValue.clipped(name, to: 60))
        }
    }

    fileprivate var words: String {
        switch self {
        case .nearby: "the nearby thing"
        case .thing(let name): name
        case .zone(let name): "zone \(name)"
        }
    }
}
