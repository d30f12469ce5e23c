import Flare
import FlareClient
import JSON
import SeededRandom

/// A model of the original server as measured: the database accesses of messages are independent, so messages overtake
/// each other.
/// - Source: contrib/contract/flare-protocol.md, "7. Order and loss in the original server".
struct OriginalModel {
    private enum Job {
        case store(ObjectReference, key: String, JSONValue, fromUs: Bool)
        case tell(FlareMessage)
        case read(ObjectReference, key: String?)
        case list(number: Int)
        case answer(number: Int, JSONValue)
    }

    let objects: [ObjectReference]
    private(set) var stored: [ObjectReference: JSONObject]
    private var jobs: [Job] = []

    init(_ objects: [ObjectReference]) {
        self.objects = objects
        stored = Dictionary(uniqueKeysWithValues: objects.map { ($0, [:]) })
    }

    var isQuiet: Bool { jobs.isEmpty }

    mutating func others(set object: ObjectReference, _ key: String, _ value: JSONValue) {
        jobs.append(.store(object, key: key, value, fromUs: false))
    }

    mutating func take(_ action: RequestPipeline.Action) {
        switch action {
        case .emit: break
        case .send(let message):
            guard let object = message.object else { return }
            switch message.name {
            case "getData": jobs.append(.read(object, key: message.argument["key"]?.string))
            case "setData":
                let value = message.argument["value"] ?? .null
                jobs.append(.store(object, key: message.argument["key"]?.string ?? "", value, fromUs: true))
            default: break
            }
        case .fetch(let request, let number):
            jobs.append(
                request.path.hasSuffix("/things") ? .list(number: number) : .answer(number: number, [])
            )
        }
    }

    enum Said {
        case message(FlareMessage)
        case answer(Int, JSONValue)
    }

    /// Performs one of the pending database accesses.
    mutating func step(_ random: inout SplitMix64) -> Said? {
        guard !jobs.isEmpty else { return nil }
        switch jobs.remove(at: random.number(below: jobs.count)) {
        case .store(let object, let key, let value, let fromUs):
            stored[object]?[key] = value
            if !fromUs { jobs.append(.tell(Self.data([key: value], object))) }
            return nil
        case .read(let object, let key):
            let all = stored[object] ?? [:]
            jobs.append(.tell(Self.data(key.map { key in all.filter { $0.key == key } } ?? all, object)))
            return nil
        case .list(let number):
            let things = objects.map { object -> JSONValue in
                ["_id": .string("\(object.id)"), "data": .object(stored[object] ?? [:])]
            }
            jobs.append(.answer(number: number, .array(things)))
            return nil
        case .tell(let message): return .message(message)
        case .answer(let number, let json): return .answer(number, json)
        }
    }

    private static func data(_ values: JSONObject, _ object: ObjectReference) -> FlareMessage {
        FlareMessage("data", ["data": .object(values), "thing": .string("\(object.id)")])
    }
}
