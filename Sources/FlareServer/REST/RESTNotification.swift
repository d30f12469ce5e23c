import Flare

/// A location update of a Cisco CMX server: where the wireless devices are that it hears.
/// - Source: flare-protocol 2.7.
struct RESTNotification: Equatable {
    struct Move: Equatable {
        /// In lower case, as devices have it.
        let mac: String
        let x: Double
        let y: Double
    }

    /// What is to be answered when no device is known.
    enum Problem: String, Error {
        case notifications = "No notifications found."
        case deviceID = "No deviceId found."
        case location = "No locationCoordinate found."
    }

    private(set) var moves: [Move] = []
    private(set) var problem: Problem?

    /// Entries without ssid are not meant for us and are passed over; entries that lack something else too, but
    /// that is told when nothing better can be.
    init(_ body: JSONValue) throws(Problem) {
        guard let entries = body["notifications"]?.array else { throw .notifications }
        for entry in entries where entry["ssid"].map(\.isNull) == false {
            guard let mac = entry["deviceId"]?.string, !mac.isEmpty else {
                problem = problem ?? .deviceID
                continue
            }
            let place = entry["locationCoordinate"]
            guard let x = place?.flareNumber("x"), let y = place?.flareNumber("y") else {
                problem = problem ?? .location
                continue
            }
            moves.append(Move(mac: mac.lowercased(), x: x, y: y))
        }
    }
}

extension RESTRoutes {
    /// Moves each device that is known.
    ///
    /// One is answered as the origin does, several as a list, none with `null`.
    func notify(_ route: RESTRoute, _ body: JSONValue) async throws -> RESTResponse {
        let notification: RESTNotification
        do throws(RESTNotification.Problem) {
            notification = try RESTNotification(body)
        } catch {
            return .text(error.rawValue)
        }
        let schema = FlareSchema(.device)
        let environment = try schema.identifier(route.parents["environment"] ?? "", at: "environment")
        var moved: [FlareRecord] = []
        for move in notification.moves {
            if let device = try await hub.cmx(environment: environment, mac: move.mac, x: move.x, y: move.y) {
                moved.append(device)
            }
        }
        if moved.isEmpty, let problem = notification.problem { return .text(problem.rawValue) }
        return moved.count > 1 ? .list(moved.map(\.json.bytes)) : .json(moved.first?.json ?? .null)
    }
}
