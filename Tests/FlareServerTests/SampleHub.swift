import Flare
import FlareServer
import Foundation
import JSON
import Logging
import TestSupport
import Threading

enum StoreKind: CaseIterable, Sendable {
    case memory, file
}

/// Collects elements in order.
struct Collector<Element: Sendable>: Sendable {
    private let stream: AsyncStream<Element>
    private let continuation: AsyncStream<Element>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func append(_ element: Element) { continuation.yield(element) }

    func all() async -> [Element] {
        continuation.finish()
        var elements: [Element] = []
        for await element in stream { elements.append(element) }
        return elements
    }
}

/// Runs the body with a temporary folder.
func withFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appending(path: "flare-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

extension FlareStore.Options {
    /// Options without a lock timeout.
    static var impatient: FlareStore.Options {
        var options = FlareStore.Options()
        options.busyTimeoutSeconds = 0
        return options
    }
}

let sampleTime: Int64 = 1_700_000_000_123

extension FlareHub {
    /// Creates a hub with a fixed clock.
    init(
        _ store: FlareStore,
        limits: FlareLimits = FlareLimits(),
        dialect: FlareDialect = .origin,
        steady: SteadyPresence.Settings? = nil,
        onStoreError: (@Sendable (FlareStoreError) -> Void)? = nil
    ) throws {
        let logger = Logger.silent
        try self.init(
            on: LoopExecutor(),
            store: store,
            clock: { sampleTime },
            limits: limits,
            dialect: dialect,
            steady: steady,
            onStoreError: onStoreError,
            logger: logger
        )
    }

    static func withStore(
        _ kind: StoreKind,
        _ body: (FlareHub) async throws -> Void
    ) async throws {
        switch kind {
        case .memory: try await body(FlareHub(FlareStore()))
        case .file: try await withFolder { try await body(FlareHub(FlareStore(file: $0.path + "/flare.db"))) }
        }
    }

    /// Connects a named client.
    func listen(
        _ name: String,
        to object: ObjectReference? = nil,
        all: Bool = false,
        isInProcess: Bool = false,
        _ collector: Collector<ReceivedNotice>
    ) -> FlareClientID {
        let client = connect(isInProcess: isInProcess) { collector.append(ReceivedNotice(name, $0)) }
        if let object { subscribe(client, to: object, all: all) }
        return client
    }
}

struct ReceivedNotice: Sendable, Hashable, CustomStringConvertible {
    let who: String
    let notice: FlareNotice

    init(_ who: String, _ notice: FlareNotice) {
        self.who = who
        self.notice = notice
    }

    /// The client and the kind of notice.
    var description: String {
        let what =
            switch notice {
            case .data: "data"
            case .position: "position"
            case .handleAction: "handleAction"
            case .enter: "enter"
            case .exit: "exit"
            case .near: "near"
            case .far: "far"
            case .thingChanged: "thingChanged"
            case .modelChanged: "modelChanged"
            }
        return "\(who) \(what)"
    }
}

/// A hall with a west and an east zone, a lamp and a sofa in the west, a sign in the east, and a phone outside.
enum Hall {
    static let hall = id(1)
    static let west = id(2)
    static let east = id(3)
    static let lamp = id(4)
    static let sofa = id(5)
    static let sign = id(6)
    static let phone = id(7)

    static let phoneObject = ObjectReference(.device, phone)
    static let lampObject = ObjectReference(.thing, lamp)
    static let hallObject = ObjectReference(.environment, hall)
    static let westObject = ObjectReference(.zone, west)
    static let eastObject = ObjectReference(.zone, east)

    static func id(_ number: UInt32) -> FlareID { FlareID(high: 0xABC, low: number) }

    static func text(_ id: FlareID) -> JSONValue { .string(id.description) }

    static let records: [FlareRecord] = [
        FlareRecord(.environment, hall, ["name": "Hall", "data": ["distance": 2]]),
        zone(west, x: 0, width: 10),
        zone(east, x: 20, width: 10),
        thing(lamp, in: west, x: 2, data: ["color": "red", "brightness": 0.5, "angle": 0, "on": false]),
        thing(sofa, in: west, x: 6),
        thing(sign, in: east, x: 25),
        device(phone, x: 15, y: 15),
    ]

    static func zone(_ id: FlareID, x: Double, width: Double) -> FlareRecord {
        FlareRecord(
            .zone,
            id,
            [
                "environment": text(hall),
                "perimeter": [
                    "origin": ["x": .number(x), "y": 0], "size": ["width": .number(width), "height": 10],
                ],
            ]
        )
    }

    static func thing(
        _ id: FlareID,
        in zone: FlareID,
        x: Double,
        data: JSONObject? = nil
    ) -> FlareRecord {
        var record = FlareRecord(
            .thing,
            id,
            [
                "environment": text(hall), "zone": text(zone),
                "position": ["x": .number(x), "y": 2, "z": 0],
            ]
        )
        if let data { record.members["data"] = .object(data) }
        return record
    }

    static func device(_ id: FlareID, x: Double, y: Double, data: JSONValue? = nil) -> FlareRecord {
        var record = FlareRecord(
            .device,
            id,
            ["environment": text(hall), "position": ["x": .number(x), "y": .number(y), "z": 0]]
        )
        record.members["data"] = data
        return record
    }
}
