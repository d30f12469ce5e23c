import Flare
import People
import Text
package import Things

/// Who may do what: the rights of the users, as they are in ``ControllerState/people``.
///
/// It refuses what may be seen and not done; what may not be seen is not found in the first place.
/// - Source: contrib/contract/people.md, "The one check".
package struct PeoplePolicy: CommandPolicy {
    package init() {}

    package func decide(_ request: ChangeRequest, in state: ControllerState) -> PolicyDecision {
        let table = state.people
        guard let caller = request.caller else { return .refuse(.unauthenticated) }
        guard let (access, object) = Self.need(of: request, in: state) else { return .allow }
        let verdict = table.verdict(of: caller, access, on: object, at: request.at)
        guard case .refused(let reason) = verdict else { return .allow }
        let right = Self.right(access, object, request, state)
        if case .ceiling = reason {
            return .refuse(
                Refusal(
                    .notAllowed,
                    "this needs the right \"\(right)\"; \(Self.advice)"
                )
            )
        }
        let owners = table.owners(of: object, at: request.at)
        // Who comes with nothing or with a token has a ceiling, and may be able to come otherwise.
        var isCeiled: Bool { if case .user(_, .some) = caller { true } else { false } }
        // Answers on the broker are read by others, too: they do not name who asked.
        return .refuse(
            Refusal(
                .notAllowed,
                "you may not \(object == .administration ? "administer this daemon" : right): \(reason)"
                    + (owners.isEmpty ? "" : "; \(QuotedValue.list(owners)) can allow it")
                    + (isCeiled ? "; or \(Self.advice)" : "")
            )
        )
    }

    private static let advice =
        "sign in (`trilateral sign-in` prints a link), or send a token that has it"

    // Cheaper than a refusal, which says who could allow it.
    package func allows(_ request: ChangeRequest, in state: ControllerState) -> Bool {
        guard let caller = request.caller else { return false }
        guard let (access, object) = Self.need(of: request, in: state) else { return true }
        return state.people.verdict(of: caller, access, on: object, at: request.at).isGranted
    }

    /// The right that a request needs, and on what; `nil` for none.
    /// - Source: contrib/contract/people.md, "What each command needs".
    private static func need(
        of request: ChangeRequest,
        in state: ControllerState
    ) -> (Access, AccessObject)? {
        let access: Access
        switch request.kind {
        case .ping: return nil
        case .found: return (.own, .everything)
        case .administer: return (.own, .administration)
        case .level, .control: return (.write, state.accessObject(ofDevice: nil))
        case .place: return (.write, .devices)
        case .read: access = .read
        case .set, .action: access = .write
        case .move, .edit, .remove: access = .own
        }
        guard let object = request.object else { return (access, state.accessObject(ofDevice: nil)) }
        switch object.kind {
        case .thing:
            return (access, .thing(object.id, zone: request.zone, environment: request.environment))
        case .zone: return (access, .zone(object.id, environment: request.environment))
        case .environment: return (access, .environment(object.id))
        // Who may move a device may also name it.
        case .device: return (min(access, .write), state.accessObject(ofDevice: object.id))
        }
    }

    /// As in `write thing table-lamp`.
    private static func right(
        _ access: Access,
        _ object: AccessObject,
        _ request: ChangeRequest,
        _ state: ControllerState
    ) -> String {
        switch object {
        case .devices: return "\(access.rawValue) devices"
        case .device(let node): return "\(access.rawValue) device:\(node)"
        case .everything, .administration: return "\(access.rawValue) all"
        default:
            let slug = request.object.map { state.slugs[$0.kind, $0.id] ?? "\($0.id)" } ?? ""
            return "\(access.rawValue) \(request.object?.kind.rawValue ?? "this") \(slug)"
        }
    }
}

extension Refusal {
    /// Nobody is identified as the sender.
    package static let unauthenticated = Refusal(
        .unauthenticated,
        "nobody is signed in here, or the token is wrong or has ended; send a token, or sign in"
    )
}
