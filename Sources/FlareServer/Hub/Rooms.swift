import Flare

/// A group of clients that hear the same.
enum Room: Sendable, Hashable {
    /// The subscribers of an object.
    case own(ObjectReference)
    /// Those who want to hear everything below an environment or a zone.
    case all(ObjectReference)
}

/// Who hears a notice, in relation to the client that caused it.
enum Audience: Sendable, Hashable {
    /// All but the sender, even where it is subscribed.
    case others(in: [Room])
    /// The sender once and before all others, and then the others.
    case senderFirst(then: [Room])
    /// Parts of this program but the sender: those who want everything of an environment, or simply all of them.
    case inProcess(wantingAllOf: FlareID?)
}

/// Who hears what.
/// - Source: flare-protocol 4.3.
package struct Rooms: Sendable {
    /// What a client gets that is in several of the rooms to which a notice goes.
    package enum Delivery: Sendable, Hashable {
        /// The notice once for each room, as from the origin.
        case perRoom
        /// The notice once.
        case once
    }

    /// Rooms that one client may be in.
    private static let maximumRooms = 20_000

    private let delivery: Delivery
    private var members: [Room: [FlareClientID]] = [:]
    private var roomsOfClients: [FlareClientID: Set<Room>] = [:]
    private var inProcess: [FlareClientID] = []

    init(delivery: Delivery) {
        self.delivery = delivery
    }

    mutating func enter(_ client: FlareClientID, isInProcess: Bool) {
        roomsOfClients[client] = []
        if isInProcess { inProcess.append(client) }
    }

    mutating func leave(_ client: FlareClientID) {
        for room in roomsOfClients.removeValue(forKey: client) ?? [] { drop(client, from: room) }
        inProcess.removeAll { $0 == client }
    }

    /// Joins the object's room and, when everything below is wanted and it has a below, its all-room.
    mutating func subscribe(_ client: FlareClientID, to object: ObjectReference, all: Bool) {
        join(client, .own(object))
        if all, object.kind == .environment || object.kind == .zone { join(client, .all(object)) }
    }

    mutating func unsubscribe(_ client: FlareClientID, from object: ObjectReference) {
        for room in [Room.own(object), .all(object)]
        where roomsOfClients[client]?.remove(room) != nil {
            drop(client, from: room)
        }
    }

    /// The clients that a notice goes to, in order; one that gets it twice is there twice.
    func receivers(of audience: Audience, from sender: FlareClientID?) -> [FlareClientID] {
        switch audience {
        case .others(let rooms):
            return others(in: rooms, than: sender)
        case .senderFirst(let rooms):
            let others = others(in: rooms, than: sender)
            return if let sender, roomsOfClients[sender] != nil { [sender] + others } else { others }
        case .inProcess(nil):
            return inProcess.filter { $0 != sender }
        case .inProcess(let environment?):
            let room = Room.all(ObjectReference(.environment, environment))
            return inProcess.filter { $0 != sender && roomsOfClients[$0]?.contains(room) == true }
        }
    }

    private func others(in rooms: [Room], than sender: FlareClientID?) -> [FlareClientID] {
        var receivers: [FlareClientID] = []
        var seen: Set<FlareClientID> = []
        for room in rooms {
            for client in members[room] ?? [] where client != sender {
                if delivery == .perRoom || seen.insert(client).inserted { receivers.append(client) }
            }
        }
        return receivers
    }

    private mutating func join(_ client: FlareClientID, _ room: Room) {
        guard let rooms = roomsOfClients[client], rooms.count < Self.maximumRooms,
            roomsOfClients[client]?.insert(room).inserted == true
        else { return }
        members[room, default: []].append(client)
    }

    private mutating func drop(_ client: FlareClientID, from room: Room) {
        members[room]?.removeAll { $0 == client }
        if members[room]?.isEmpty == true { members[room] = nil }
    }
}
