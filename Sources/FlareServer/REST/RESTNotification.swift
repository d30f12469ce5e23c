import Flare
import JSON

/// A location update of wireless devices from a Cisco CMX server.
/// - Source: contrib/contract/flare-protocol.md, "2.7 CMX notification".
struct RESTNotification: Equatable {
    struct Move: Equatable {
        /// In lower case, as in `data.mac`.
        let mac: String
        let x: Double
        let y: Double
    }

    /// The response when no device was moved.
    enum Problem: String, Error {
        case notifications = "No notifications found."
        case deviceID = "No deviceId found."
        case location = "No locationCoordinate found."
    }

    private(set) var moves: [Move] = []
    private(set) var problem: Problem?

    /// Entries without an ssid are ignored, and so are other incomplete ones, which are reported if no device was
    /// moved.
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
    /// Moves each known device.
    ///
    /// The response is the device, a list of several devices, or `null` for none.
    func notify(_ route: RESTRoute, _ body: JSONValue, _ visitor: FlareVisitor) async throws -> RESTResponse {
        let notification: RESTNotification
        do throws(RESTNotification.Problem) {
            notification = try RESTNotification(body)
        } catch {
            return .text(error.rawValue)
        }
        let schema = FlareSchema(.device)
        let environment = try schema.identifier(route.environment ?? "", at: "environment")
        var moved: [FlareRecord] = []
        for move in notification.moves {
            if let device = try await hub.cmx(
                environment: environment,
                mac: move.mac,
                x: move.x,
                y: move.y,
                by: visitor
            ) {
                moved.append(await hub.shown(device, to: visitor))
            }
        }
        if moved.isEmpty, let problem = notification.problem { return .text(problem.rawValue) }
        return moved.count > 1 ? .list(moved.map(\.json.bytes)) : .json(moved.first?.json ?? .null)
    }
}
