import Flare

/// A group of clients that receive the same notices.
enum Room: Sendable, Hashable {
    /// The subscribers of an object.
    case own(ObjectReference)
    /// The subscribers of everything in an environment or a zone.
    case all(ObjectReference)
}

extension Room {
    /// What sets and dictionaries ask for: the hash of the object alone, without that of the case.
    func _rawHashValue(seed: Int) -> Int {
        switch self {
        case .own(let object): object._rawHashValue(seed: seed)
        case .all(let object): object._rawHashValue(seed: ~seed)
        }
    }
}

/// The recipients of a notice, relative to the client that caused it.
enum Audience: Sendable, Hashable {
    /// All except the sender, even if it is subscribed.
    case others(in: [Room])
    /// The sender first and once, then the others.
    case senderFirst(then: [Room])
    /// In-process clients except the sender: those subscribed to everything in an environment, or all with `nil`.
    case inProcess(wantingAllOf: FlareID?)
}

/// The rooms and their members.
/// - Source: contrib/contract/flare-protocol.md, "4.3 Who receives a message".
package struct Rooms: Sendable {
    /// How often a client receives a notice that goes to several of its rooms.
    package enum Delivery: Sendable, Hashable {
        /// Once for each room, as from the original server.
        case perRoom
        /// Once.
        case once
    }

    /// Rooms that one client may be in.
    private static let maximumRooms = 20_000

    private let delivery: Delivery
    private var members: [Room: [FlareClientID]] = [:]
    private var roomsByClient: [FlareClientID: Set<Room>] = [:]
    private var inProcess: [FlareClientID] = []

    init(delivery: Delivery) {
        self.delivery = delivery
    }

    mutating func enter(_ client: FlareClientID, isInProcess: Bool) {
        roomsByClient[client] = []
        if isInProcess { inProcess.append(client) }
    }

    mutating func leave(_ client: FlareClientID) {
        for room in roomsByClient.removeValue(forKey: client) ?? [] { drop(client, from: room) }
        inProcess.removeAll { $0 == client }
    }

    /// Joins the object's room and, with `all`, the all-room of an environment or a zone.
    mutating func subscribe(_ client: FlareClientID, to object: ObjectReference, all: Bool) {
        join(client, .own(object))
        if all, object.kind == .environment || object.kind == .zone { join(client, .all(object)) }
    }

    mutating func unsubscribe(_ client: FlareClientID, from object: ObjectReference) {
        for room in [Room.own(object), .all(object)]
        where roomsByClient[client]?.remove(room) != nil {
            drop(client, from: room)
        }
    }

    /// The recipients in order; a client that receives the notice twice is listed twice.
    func recipients(of audience: Audience, from sender: FlareClientID?) -> [FlareClientID] {
        switch audience {
        case .others(let rooms):
            return others(in: rooms, than: sender)
        case .senderFirst(let rooms):
            let others = others(in: rooms, than: sender)
            return if let sender, roomsByClient[sender] != nil { [sender] + others } else { others }
        case .inProcess(nil):
            return inProcess.filter { $0 != sender }
        case .inProcess(let environment?):
            let room = Room.all(ObjectReference(.environment, environment))
            return inProcess.filter { $0 != sender && roomsByClient[$0]?.contains(room) == true }
        }
    }

    private func others(in rooms: [Room], than sender: FlareClientID?) -> [FlareClientID] {
        var recipients: [FlareClientID] = []
        var seen: Set<FlareClientID> = []
        for room in rooms {
            for client in members[room] ?? [] where client != sender {
                if delivery == .perRoom || seen.insert(client).inserted { recipients.append(client) }
            }
        }
        return recipients
    }

    private mutating func join(_ client: FlareClientID, _ room: Room) {
        guard let rooms = roomsByClient[client], rooms.count < Self.maximumRooms,
            roomsByClient[client]?.insert(room).inserted == true
        else { return }
        members[room, default: []].append(client)
    }

    private mutating func drop(_ client: FlareClientID, from room: Room) {
        members[room]?.removeAll { $0 == client }
        if members[room]?.isEmpty == true { members[room] = nil }
    }
}
