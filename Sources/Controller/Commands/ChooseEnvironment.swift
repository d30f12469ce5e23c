import Flare
package import JSON
import People
import Text
package import Things

/// Chooses the environment of this device.
package enum ChooseEnvironment: CommandOperation {
    case next, previous
    /// By slug, identifier or name, as received.
    case named(String)

    package var permission: ChangeRequest.Kind? { .place }
    package var logName: String { "environment" }
    package var logValues: JSONValue? {
        switch self {
        case .next: ["environment": "next"]
        case .previous: ["environment": "previous"]
        case .named(let name): ["environment": .string(name)]
        }
    }
    package var summary: CommandSummary? { CommandSummary("choose environment", of: .target(nil)) }

    package func perform(
        _ command: inout PendingCommand,
        in controller: inout DeviceController
    ) throws(Refusal) {
        let now = controller.now.wallMilliseconds
        let reader = controller.state.reader(for: command.command.caller, at: now)
        let all = controller.state.environmentsByName.filter { reader.sees(environment: $0.id) }
        let id = try found(among: all, in: controller)
        let slug = controller.state.slugs[.environment, id] ?? "\(id)"
        command.target = .init(kind: "environment", slug: slug)
        command.accepted = ["environment": .string(slug)]
        try controller.choose(id, command)
    }

    private func found(
        among all: [FlareEnvironment],
        in controller: DeviceController
    ) throws(Refusal) -> FlareID {
        // Count from a pending selection, so that repeated "next" commands advance.
        let latest = controller.pending.choice?.environment ?? controller.state.environmentID
        let current = all.firstIndex { $0.id == latest }
        switch self {
        case .next where !all.isEmpty: return all[((current ?? -1) + 1) % all.count].id
        case .previous where !all.isEmpty: return all[((current ?? 0) + all.count - 1) % all.count].id
        case .next, .previous: throw Refusal(.unknownEnvironment, "the Flare server has no environment")
        case .named(let name):
            switch controller.state.match(name, .environment, where: { id in all.contains { $0.id == id } }) {
            case .one(let id): return id
            case .several(let slugs):
                throw Refusal(
                    .unknownEnvironment,
                    "several environments are called \(QuotedValue.of(name)); choose one by its short name: "
                        + slugs.prefix(20).joined(separator: ", "),
                    field: "environment"
                )
            case .none:
                let slugs = all.compactMap { controller.state.slugs[.environment, $0.id] }
                let legal = slugs.prefix(20).joined(separator: ", ")
                throw Refusal(
                    .unknownEnvironment,
                    "no environment \"\(name.prefix(60))\"; legal: next, previous"
                        + (legal.isEmpty ? "" : ", \(legal)")
                )
            }
        }
    }
}

extension CommandDescriptor {
    package static let environmentSet = CommandDescriptor("environment/set") { _, payload throws(Refusal) in
        try ChooseEnvironment(payload)
    }
    /// The same as `environment/set`.
    package static let environmentRequest = CommandDescriptor(verb: "environment") {
        _,
        payload throws(Refusal) in
        try ChooseEnvironment(payload)
    }
}

extension ChooseEnvironment {
    /// `next`, `previous`, or a name, as a plain word or as the member `environment`.
    fileprivate init(_ payload: CommandPayload) throws(Refusal) {
        let name = try payload.word(named: "environment")
        switch name.lowercased() {
        case "next": self = .next
        case "previous": self = .previous
        case "":
            throw Refusal(
                .invalidValue,
                "environment must be next, previous, a short name, a name or an id (is empty)",
                field: "environment"
            )
        default: self = .named(name)
        }
    }
}
