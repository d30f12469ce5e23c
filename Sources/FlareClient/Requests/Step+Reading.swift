import Flare
import JSON

// Requests over REST.
// - Source: contrib/contract/flare-protocol.md, "2. REST".
extension Step {
    static func loadEnvironments(near place: GeoPoint?) -> Step {
        let query = place.map { "?latitude=\($0.latitude)&longitude=\($0.longitude)" } ?? ""
        return fetch(.get("/environments\(query)")) { json in
            list(json, FlareEnvironment.init(json:)) { .reply(.environments($0)) }
        }
    }

    static func loadPlace(_ environment: FlareID) -> Step {
        let path = "/environments/\(environment)"
        return .fetch([.get("\(path)/zones"), .get("\(path)/things")]) { answers in
            list(answers.first.flatMap { $0 }, FlareZone.init(json:)) { zones in
                list(answers.last.flatMap { $0 }, FlareThing.init(json:)) { things in
                    let place = FlareReply.place(zones: zones, things: things)
                    guard zones.isEmpty, things.isEmpty else { return .reply(place) }
                    // The lists of an unknown environment are empty too.
                    return fetch(ObjectReference(.environment, environment)) { _ in .reply(place) }
                }
            }
        }
    }

    static func loadDevice(_ id: FlareID) -> Step {
        fetch(.get(ObjectReference(.device, id))) { device(in: $0, id) }
    }

    private static func device(in json: JSONValue?, _ id: FlareID) -> Step {
        switch ObjectReference(.device, id).found(in: json) {
        case .success(let json): .reply(.device(FlareDevice(json: json)))
        case .failure(.unknownObject): .reply(.device(nil))
        case .failure(let error): .fail(error)
        }
    }

    static func createDevice(_ draft: DeviceDraft, in environment: FlareID) -> Step {
        // The original server also creates devices in unknown environments.
        fetch(ObjectReference(.environment, environment)) { _ in
            var body: JSONObject = [
                "name": .string(draft.name), "description": .string(draft.description),
                "position": draft.position.json,
            ]
            if !draft.data.isEmpty { body["data"] = .object(draft.data) }
            let path = "/environments/\(environment)/devices"
            return fetch(RESTRequest(method: .post, path: path, body: .object(body))) { json in
                guard let json, let device = FlareDevice(json: json) else {
                    return .fail(.rejected((json ?? .null).errorMessage))
                }
                return .reply(.device(device))
            }
        }
    }

    static func renameDevice(_ id: FlareID, to name: String) -> Step {
        let device = ObjectReference(.device, id)
        let path = RESTRequest.get(device).path
        return fetch(RESTRequest(method: .put, path: path, body: ["name": .string(name)])) { json in
            .finish(device.found(in: json).map { _ in .done })
        }
    }

    /// The first zone that contains the position, and the stored nearest thing.
    static func loadPresence(_ id: FlareID, in environment: FlareID, at position: Point3D) -> Step {
        let device = ObjectReference(.device, id)
        guard position.isFinite else { return .fail(.rejected("the position is not finite")) }
        let query = "x=\(position.x)&y=\(position.y)&z=\(position.z)"
        return .fetch([.get(device), .get("/environments/\(environment)/zones?\(query)")]) { answers in
            list(answers.last.flatMap { $0 }, FlareZone.init(json:)) { zones in
                switch device.found(in: answers.first.flatMap { $0 }) {
                case .failure(let error): .fail(error)
                case .success(let json):
                    presence(zone: zones.first?.id, stored: json.flareID("nearest"), environment, position)
                }
            }
        }
    }

    private static func presence(
        zone: FlareID?,
        stored: FlareID?,
        _ environment: FlareID,
        _ position: Point3D
    ) -> Step {
        guard let stored else { return .reply(.presence(zone: zone, nearest: nil)) }
        return fetch(.get(ObjectReference(.thing, stored))) { json in
            if json?.flareID("_id") != nil { return .reply(.presence(zone: zone, nearest: stored)) }
            // The thing was removed; the server finds another one only at the next move.
            let path = "/environments/\(environment)"
            return .fetch([.get(path), .get("\(path)/things")]) { answers in
                list(answers.last.flatMap { $0 }, FlareThing.init(json:)) { things in
                    let data = answers.first.flatMap { $0?["data"]?.object }
                    let nearest = things.nearest(to: position, data: data)
                    return .reply(.presence(zone: zone, nearest: nearest))
                }
            }
        }
    }

    private static func list<Element>(
        _ json: JSONValue?,
        _ read: (JSONValue) -> Element?,
        then: ([Element]) -> Step
    ) -> Step {
        guard let elements = json?.array else { return .fail(.rejected((json ?? .null).errorMessage)) }
        return then(elements.compactMap(read))
    }
}

extension [FlareThing] {
    /// - Source: contrib/contract/flare-protocol.md, "5.2 Distance and nearness".
    fileprivate func nearest(to position: Point3D, data: JSONObject?) -> FlareID? {
        let limit = ProximityLimit.metres(environmentData: data)
        let near = compactMap { thing in thing.position.map { (thing.id, $0.distance(to: position)) } }
            .min { $0.1 < $1.1 }
        return near.flatMap { $0.1 < limit ? $0.0 : nil }
    }
}
