import Flare
import JSON
import People
import Text
import Things

/// Finds out what a command to make, change or remove an object asks of the server, and whether it may.
struct EditPlanner {
    let command: Command
    /// What is in the object's environment; `nil` if there is none.
    let place: PlaceContents?
    let state: ControllerState
    let policies: [any CommandPolicy]
    let now: Instant
    /// Finds what is legal, but hardly meant.
    let advise: @Sendable (_ model: JSONValue) -> [PlaceAdvice.Finding]

    /// - Returns: The plan; or the refusal of a command whose object is not found.
    func plan() -> Result<EditPlan, Refusal> {
        switch command.order {
        case .add(let kind, let edit, let container): add(kind, edit, to: container)
        case .edit(let kind, let name, let edit, let zone): change(kind, name, edit, zone)
        case .remove(let kind, let name, let withContents): remove(kind, name, withContents)
        default: .failure(Refusal(.internalError, "this is no change of an object"))
        }
    }

    private func refusal(
        _ kind: ChangeRequest.Kind,
        on object: ObjectReference? = nil,
        in zone: FlareID? = nil,
        of environment: FlareID? = nil
    ) -> Refusal? {
        policies.refusal(
            of: state.request(command, kind, on: object, in: zone, of: environment, at: now),
            in: state
        )
    }

    private func add(
        _ kind: FlareClass,
        _ edit: ObjectEdit,
        to container: String?
    ) -> Result<EditPlan, Refusal> {
        var plan = EditPlan()
        switch kind {
        case .environment, .device:
            plan.refusal = refusal(.found)
            plan.request = .create(.environment, edit)
        case .zone:
            switch state.environment(named: container ?? "", for: command, at: now) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let found):
                plan.environment = found.id
                plan.refusal = refusal(.edit, on: .init(.environment, found.id))
                plan.request = .create(.zone, edit, environment: found.id)
            }
        case .thing:
            switch state.zone(named: container ?? "", in: place, for: command, at: now) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let home):
                let zone = ObjectReference(.zone, home.id)
                plan.environment = place?.environment
                plan.refusal = refusal(.edit, on: zone, of: place?.environment)
                plan.request = .create(.thing, edit, zone: home.id, environment: place?.environment)
                var new = edit
                new.zone = home.id
                plan.warnings = warnings(kind, nil, new)
                return .success(plan)
            }
        }
        plan.warnings = warnings(kind, nil, edit)
        return .success(plan)
    }

    private func change(
        _ kind: FlareClass,
        _ name: String,
        _ edit: ObjectEdit,
        _ zone: String?
    ) -> Result<EditPlan, Refusal> {
        let found: EditedObject
        switch object(kind, name) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let object): found = object
        }
        var edit = edit
        var plan = EditPlan(target: target(found.object), environment: found.environment)
        plan.refusal = refusal(.edit, on: found.object, in: found.zone, of: found.environment)
        guard plan.refusal == nil else { return .success(plan) }
        if let zone {
            switch state.zone(named: zone, in: place, for: command, at: now) {
            case .failure(let refusal):
                plan.refusal = refusal
                return .success(plan)
            case .success(let home) where home.id != found.zone:
                edit.zone = home.id
                // Moving a thing moves its rights: who has them there gets them.
                let zone = ObjectReference(.zone, home.id)
                plan.refusal = refusal(.edit, on: zone, of: found.environment)
            case .success: break
            }
        }
        guard !edit.isEmpty else { return .success(plan) }
        plan.request = .change(found.object, edit)
        plan.warnings = warnings(kind, found.json, edit)
        return .success(plan)
    }

    private func remove(
        _ kind: FlareClass,
        _ name: String,
        _ withContents: Bool
    ) -> Result<EditPlan, Refusal> {
        object(kind, name).map { found in
            var plan = EditPlan(target: target(found.object), environment: found.environment)
            plan.request = .remove(found.object, withContents: withContents)
            plan.refusal = refusal(
                .remove,
                on: found.object,
                in: found.zone,
                of: found.environment
            )
            guard plan.refusal == nil, let place else { return plan }
            let contents = place.contents(of: found.object)
            if !withContents, !contents.isEmpty {
                plan.refusal = Self.notEmpty(found.object.kind, contents)
            }
            // What is protected stays, with what it is in.
            plan.refusal =
                plan.refusal
                ?? contents.lazy.compactMap { content -> Refusal? in
                    let zone = content.object.kind == .thing ? place.things[content.object.id]?.zone : nil
                    return refusal(.remove, on: content.object, in: zone, of: place.environment)
                }.first
            return plan
        }
    }

    private static func notEmpty(
        _ kind: FlareClass,
        _ contents: [(object: ObjectReference, name: String)]
    ) -> Refusal {
        let counts = [FlareClass.zone, .thing].compactMap { kind -> String? in
            let all = contents.filter { $0.object.kind == kind }
            guard !all.isEmpty else { return nil }
            let names = QuotedValue.list(all.prefix(5).map { $0.name } + (all.count > 5 ? ["…"] : []))
            return "\(all.count) \(kind.rawValue)\(all.count == 1 ? "" : "s") (\(names))"
        }
        return Refusal(
            .notEmpty,
            "the \(kind.rawValue) holds \(counts.joined(separator: " and ")); remove what is in it first, or "
                + "everything together with ?contents=true"
        )
    }

    // MARK: Finding

    private func object(
        _ kind: FlareClass,
        _ name: String
    ) -> Result<EditedObject, Refusal> {
        switch kind {
        case .environment, .device:
            state.environment(named: name, for: command, at: now).map {
                EditedObject(object: .init(.environment, $0.id), zone: nil, environment: nil, json: $0.json)
            }
        case .zone:
            state.zone(named: name, in: place, for: command, at: now).map {
                EditedObject(
                    object: .init(.zone, $0.id),
                    zone: nil,
                    environment: place?.environment,
                    json: $0.json
                )
            }
        case .thing:
            state.thing(named: name, in: place, for: command, at: now).map {
                EditedObject(
                    object: .init(.thing, $0.id),
                    zone: $0.zone,
                    environment: place?.environment,
                    json: $0.json
                )
            }
        }
    }

    private func target(_ object: ObjectReference) -> Answer.Target {
        Answer.Target(
            kind: object.kind.rawValue,
            slug: state.slugs[object.kind, object.id] ?? "\(object.id)",
            object: object
        )
    }

    // MARK: Warnings

    /// What is legal in a change, but hardly meant.
    private func warnings(
        _ kind: FlareClass,
        _ old: JSONValue?,
        _ edit: ObjectEdit
    ) -> [Answer.Warning] {
        // A warning names nothing that its reader may not see.
        let reader = state.reader(for: command.speaker, at: now.wallMilliseconds)
        let home = kind == .environment ? nil : place.flatMap { state.environments[$0.environment] }
        let isNew = old == nil && kind == .environment
        // Warnings about a thing tell the box of its zone.
        if kind == .thing, let reader, let id = edit.zone ?? old?.flareID("zone"),
            !(place?.zones[id].map { reader.sees($0) } ?? false)
        {
            return []
        }
        return PlaceAdvice(
            kind: kind,
            environment: home.flatMap { reader?.sees(environment: $0.id) ?? true ? $0 : nil },
            zones: isNew ? [] : place?.zones.values.filter { reader?.sees($0) ?? true } ?? [],
            things: isNew ? [] : place?.things.values.filter { reader?.sees($0) ?? true } ?? [],
            old: old,
            edit: edit
        ).warnings(advise)
    }
}

/// A change as it is sent to the server, or why it is refused.
struct EditPlan {
    /// `nil` for what is still to be made.
    var target: Answer.Target?
    /// That of the object; `nil` for an environment.
    var environment: FlareID?
    /// `nil` if there is nothing to do.
    var request: FlareRequest?
    var refusal: Refusal?
    var warnings: [Answer.Warning] = []
}

private struct EditedObject {
    let object: ObjectReference
    let zone: FlareID?
    /// `nil` for an environment.
    let environment: FlareID?
    let json: JSONValue
}
