import Flare

// Things made, changed as a whole, and removed, over REST.
// - Source: flare-protocol 2.3 to 2.6.
extension Step {
    static func createThing(_ edit: ThingEdit, _ zone: FlareID, _ environment: FlareID) -> Step {
        // The original server also makes things in unknown zones.
        fetch(ObjectReference(.zone, zone)) { _ in
            let path = "/environments/\(environment)/zones/\(zone)/things"
            let body = JSONValue.object(edit.members(over: [:]))
            return fetch(RESTRequest(method: .post, path: path, body: body)) { json in
                guard let json, let thing = FlareThing(json: json) else {
                    return .fail(.rejected((json ?? .null).errorMessage))
                }
                return .reply(.thing(thing))
            }
        }
    }

    static func changeThing(_ id: FlareID, _ edit: ThingEdit) -> Step {
        let thing = ObjectReference(.thing, id)
        // The data is replaced as a whole, so what others have stored in it is read first.
        return fetch(thing) { json in
            let body = JSONValue.object(edit.members(over: json.object ?? [:]))
            let path = RESTRequest.get(thing).path
            return fetch(RESTRequest(method: .put, path: path, body: body)) { json in
                .finish(thing.found(in: json).map { _ in .done })
            }
        }
    }

    static func removeThing(_ id: FlareID) -> Step {
        let thing = ObjectReference(.thing, id)
        return fetch(RESTRequest(method: .delete, path: RESTRequest.get(thing).path)) { json in
            .finish(thing.found(in: json).map { _ in .done })
        }
    }
}
