import Flare
import JSON
import People
import Text

/// The part of a place around a changed object, as a model file, so that the checks of such files find what is legal, but
/// hardly meant.
package struct PlaceAdvice {
    /// Something that the checks have found.
    package struct Finding: Sendable, Hashable {
        /// As `environments[0].zones[1].perimeter`.
        package let place: String
        package let message: String

        package init(place: String, message: String) { (self.place, self.message) = (place, message) }
    }

    /// Most warnings of one change.
    static let most = 20
    /// Most findings about other objects that are looked at.
    private static let mostOfOthers = 200

    private static let root = "environments[0]"

    let kind: FlareClass
    /// What the change is made in, as far as its sender may see it.
    let environment: FlareEnvironment?
    let zones: [FlareZone]
    let things: [FlareThing]
    /// The object before the change; `nil` for a new one.
    let old: JSONValue?
    let edit: ObjectEdit

    /// What the change brings, or says once more.
    func warnings(_ advise: (JSONValue) -> [Finding]) -> [Answer.Warning] {
        let known = Set(texts(old, advise).map { $0.warning })
        let new = texts(edit.applied(to: old ?? .object([:])), advise)
        return Array(
            new.filter { $0.isTouched || !known.contains($0.warning) }.map { $0.warning }.prefix(Self.most)
        )
    }

    private func texts(
        _ object: JSONValue?,
        _ advise: (JSONValue) -> [Finding]
    ) -> [(warning: Answer.Warning, isTouched: Bool)] {
        let (model, own, names) = model(with: object)
        let findings = advise(model)
        let others = findings.lazy.filter { !$0.place.hasPrefix(own) }.prefix(Self.mostOfOthers)
        return (findings.filter { $0.place.hasPrefix(own) } + others).compactMap { finding in
            let parts = finding.place.split(separator: ".", omittingEmptySubsequences: false)
            // The longest place of an object that the finding's place begins with.
            var owner = finding.place
            var left = parts.count
            while names[owner] == nil, left > 1 {
                left -= 1
                owner = parts.prefix(left).joined(separator: ".")
            }
            let path = parts.dropFirst(left).joined(separator: ".")
            // What the sender may not see is no matter of theirs.
            if owner == Self.root, kind != .environment, environment == nil { return nil }
            let message = finding.message.replacing(/environments\[0\](?:\.(?:zones|things)\[\d+\])*/) {
                names[String($0.output)] ?? String($0.output)
            }
            guard owner == own else {
                let name = names[owner] ?? owner
                let text = path.isEmpty ? "\(name) \(message)" : "\(name): \(path) \(message)"
                return (Answer.Warning(field: nil, message: text), false)
            }
            guard !path.isEmpty else {
                return (Answer.Warning(field: nil, message: "the \(kind.rawValue) \(message)"), false)
            }
            return (Answer.Warning(field: path, message: "\(path) \(message)"), isTouched(path))
        }
    }

    /// Whether the change names a member of the object.
    private func isTouched(_ path: String) -> Bool {
        let steps = path.split { $0 == "." || $0 == "[" }
        switch steps.first {
        case "position": return edit.position != nil || edit.zone != nil
        case "perimeter": return edit.perimeter != nil
        case "geofence": return edit.geofence != nil
        case "data": return steps.dropFirst().first.map { edit.data[String($0)] != nil } ?? false
        default: return false
        }
    }

    // MARK: The model

    /// - Returns: The model, the place of the object in it, and what each object is called, by place.
    private func model(
        with object: JSONValue?
    ) -> (model: JSONValue, own: String, names: [String: String]) {
        let root = Self.root
        var names = [
            root: kind == .environment ? "the environment" : "the environment \(quoted(environment?.name))"
        ]
        var own = root
        var list: [JSONValue] = []
        func name(_ place: String, _ kind: FlareClass, _ json: JSONValue) {
            names[place] = "\(kind.rawValue) \(quoted(json["name"]?.string))"
        }
        let home = kind == .thing ? object?.flareID("zone") ?? old?.flareID("zone") ?? edit.zone : nil
        let id = old?.flareID("_id")
        // The changed object comes last, so that it is the one that repeats a number.
        let others = zones.filter { kind != .zone || $0.id != id }
            .sorted { ($0.id == home ? 1 : 0, $0.id) < ($1.id == home ? 1 : 0, $1.id) }
        for zone in others {
            let place = "\(root).zones[\(list.count)]"
            let members = zone.json.with(data: zone.data, keys: ["major"])
            name(place, .zone, members)
            guard kind == .thing else {
                list.append(members)
                continue
            }
            // Of other things only what must differ counts.
            var things = things.filter {
                $0.zone == zone.id && $0.id != id && ($0.data["minor"] != nil || $0.data["receiver"] != nil)
            }.map { $0.json.with(data: $0.data, keys: ["minor", "receiver"]) }
            for (index, thing) in things.enumerated() { name("\(place).things[\(index)]", .thing, thing) }
            if zone.id == home, let object {
                own = "\(place).things[\(things.count)]"
                names[own] = "the thing"
                things.append(object)
            }
            list.append(members.with("things", .array(things)))
        }
        if kind == .zone, let object {
            own = "\(root).zones[\(list.count)]"
            names[own] = "the zone"
            let inside = things.filter { $0.zone != nil && $0.zone == id }.map {
                $0.json.with(data: $0.data, keys: ["minor", "receiver"])
            }
            for (index, thing) in inside.enumerated() { name("\(own).things[\(index)]", .thing, thing) }
            list.append(object.with("things", .array(inside)))
        }
        let whole = kind == .environment ? object : environment?.json
        let environments = (whole ?? ["name": "-"]).with("zones", .array(list))
        let all = kind == .environment && object == nil ? [] : [environments]
        return (.object(["environments": .array(all)]), own, names)
    }

    private func quoted(_ name: String?) -> String { QuotedValue.of(name ?? "") }
}

extension JSONValue {
    fileprivate func with(_ key: String, _ value: JSONValue) -> JSONValue {
        .object((object ?? [:]).merging([key: value]) { $1 })
    }

    /// The same object with these values of its data only.
    fileprivate func with(data: JSONObject, keys: Set<String>) -> JSONValue {
        with("data", .object(data.filter { keys.contains($0.key) }))
    }
}

extension DeviceController {
    /// What is legal in a change, but hardly meant.
    func warnings(
        _ kind: FlareClass,
        _ old: JSONValue?,
        _ edit: ObjectEdit,
        in place: PlaceContents?,
        _ command: Command
    ) -> [Answer.Warning] {
        // A warning names nothing that its reader may not see.
        let reader = state.reader(for: command.caller, at: now.wallMilliseconds)
        let home = kind == .environment ? nil : place.flatMap { state.environments[$0.environment] }
        let isNew = old == nil && kind == .environment
        // Warnings about a thing tell the box of its zone.
        if kind == .thing, let id = edit.zone ?? old?.flareID("zone"),
            !(place?.zones[id].map { reader.sees($0) } ?? false)
        {
            return []
        }
        return PlaceAdvice(
            kind: kind,
            environment: home.flatMap { reader.sees(environment: $0.id) ? $0 : nil },
            zones: isNew ? [] : place?.zones.values.filter { reader.sees($0) } ?? [],
            things: isNew ? [] : place?.things.values.filter { reader.sees($0) } ?? [],
            old: old,
            edit: edit
        ).warnings(advise)
    }
}
