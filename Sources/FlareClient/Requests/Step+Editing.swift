import Flare
import JSON

// Environments, zones and things made, changed as a whole, and removed, over REST.
// - Source: contrib/contract/flare-protocol.md, "2.3 Filters"; "2.4 Errors"; "2.5 PUT"; "2.6 DELETE".
extension Step {
    static func create(
        _ kind: FlareClass,
        _ edit: ObjectEdit,
        _ zone: FlareID?,
        _ environment: FlareID?
    ) -> Step {
        let (path, parent): (String, ObjectReference?) =
            switch (kind, environment, zone) {
            case (.thing, let environment?, let zone?):
                ("/environments/\(environment)/zones/\(zone)/things", ObjectReference(.zone, zone))
            case (.zone, let environment?, _):
                ("/environments/\(environment)/zones", ObjectReference(.environment, environment))
            default: ("/environments", nil)
            }
        let body = JSONValue.object(edit.members(over: [:]).filter { !$0.value.isNull })
        let make = fetch(RESTRequest(method: .post, path: path, body: body)) { json in
            guard let id = json?.flareID("_id") else { return .fail(.rejected((json ?? .null).errorMessage)) }
            return .reply(.created(id))
        }
        // The original server also makes objects in what it does not know.
        return parent.map { fetch($0) { _ in make } } ?? make
    }

    static func change(_ object: ObjectReference, _ edit: ObjectEdit) -> Step {
        // The data is replaced as a whole, so what others have stored in it is read first.
        fetch(object) { json in
            let body = JSONValue.object(edit.members(over: json.object ?? [:]))
            let path = RESTRequest.get(object).path
            return fetch(RESTRequest(method: .put, path: path, body: body)) { json in
                .finish(object.found(in: json).map { _ in .done })
            }
        }
    }

    /// Removes the contents first, so that what is left after a failure is still in its place.
    static func remove(_ object: ObjectReference, withContents: Bool) -> Step {
        fetch(object) { json in
            let environment = json["environment"]?.string ?? "-"
            let lists: [(FlareClass, RESTRequest)] =
                switch object.kind {
                case .environment:
                    [(FlareClass.thing, "things"), (.device, "devices"), (.zone, "zones")].map {
                        ($0, .get("/environments/\(object.id)/\($1)"))
                    }
                case .zone: [(.thing, .get("/environments/\(environment)/zones/\(object.id)/things"))]
                case .thing, .device: []
                }
            guard !lists.isEmpty else { return remove([object]) }
            return .fetch(lists.map(\.1)) { answers in
                var contents: [ObjectReference] = []
                for ((kind, _), json) in zip(lists, answers) {
                    guard let list = json?.array else {
                        return .fail(.rejected((json ?? .null).errorMessage))
                    }
                    contents += list.compactMap { $0.flareID("_id") }.map { ObjectReference(kind, $0) }
                }
                if !withContents, contents.contains(where: { $0.kind != .device }) {
                    return .fail(.rejected("the \(object.kind.rawValue) is not empty by now"))
                }
                return remove(contents[...] + [object])
            }
        }
    }

    private static func remove(_ objects: ArraySlice<ObjectReference>) -> Step {
        guard let object = objects.first else { return .reply(.done) }
        let rest = objects.dropFirst()
        return fetch(RESTRequest(method: .delete, path: RESTRequest.get(object).path)) { json in
            // What somebody else has removed meanwhile is gone, too; only the object itself was asked for.
            if case .failure(let error) = object.found(in: json),
                rest.isEmpty || error != .unknownObject(object)
            {
                return .fail(error)
            }
            return remove(rest)
        }
    }
}
