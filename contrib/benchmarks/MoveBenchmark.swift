import Flare
import FlareServer
import JSON
import Logging
import Positioning
import Threading

/// What a move costs: zone and nearest thing found, stored, told.
///
/// Places of several sizes take turns, and with them a bare database that writes a row as long as the device's, so
/// that all see the same machine.
struct MoveBenchmark {
    let folder: String

    private static let sizes = [10, 1_000, 10_000]
    private static let rounds = 60
    private static let movesOfRound = 100
    private static let device = ObjectReference(.device, FlareID(high: 0x4D6F_7665, low: 1))

    private struct Contender {
        let place: BenchmarkPlace
        let hub: FlareHub
        var generator = SeededGenerator(seed: 1)
        var nanoseconds: [Double] = []
    }

    func run() async throws {
        var contenders: [Contender] = []
        for size in Self.sizes { contenders.append(try await contender(size)) }
        var document = await contenders[0].hub.record(Self.device)?.json.bytes ?? []
        let bare = try BareDatabase(
            file: "\(folder)/bare.db",
            document: String(decoding: document, as: UTF8.self)
        )
        var bareNanoseconds: [Double] = []
        for round in 0..<Self.rounds {
            for index in contenders.indices {
                let moves = points(&contenders[index])
                let took = try await contenders[index].hub.timeOfMoves(moves, of: Self.device)
                if round > 0 { contenders[index].nanoseconds += took }
            }
            for move in 0..<Self.movesOfRound {
                // Not the same bytes again: SQLite would leave out the writing.
                if let last = document.indices.last {
                    document[last] = UInt8(truncatingIfNeeded: move) & 0x3F | 0x20
                }
                let written = document
                let took = try ContinuousClock().measure { try bare.write(written) }
                if round > 0 { bareNanoseconds.append(took.nanoseconds) }
            }
        }
        let floor = bareNanoseconds.median
        for contender in contenders {
            Row(
                "a move among \(contender.place.things) things, against one row by SQLite",
                floor: floor,
                ours: contender.nanoseconds.median
            ).print()
        }
        let (least, most) = (
            contenders[0].nanoseconds.median, contenders[contenders.count - 1].nanoseconds.median
        )
        Row("growth of a move from 10 to 10,000 things", floor: least, ours: most, aim: 2).print()
    }

    private func contender(_ size: Int) async throws -> Contender {
        let place = BenchmarkPlace(things: size)
        var logger = Logger(label: "bench")
        logger.logLevel = .error
        let store = try FlareStore(file: "\(folder)/move-\(size).db")
        let hub = try FlareHub(on: LoopExecutor(), store: store, clock: { 1_700_000_000_000 }, logger: logger)
        try await hub.importModel(try ModelTree.read(place.json.bytes))
        let draft = FlareRecord(
            .device,
            Self.device.id,
            [
                "name": "mover", "description": "What is moved",
                "data": ["angle": 90, "mac": "02:00:00:00:00:01"],
                "environment": .string("\(BenchmarkPlace.environment)"), "position": Point3D.zero.json,
            ]
        )
        try await hub.insert([draft])
        // Somebody listens, as in the daemon.
        let client = await hub.connect(isInProcess: true) { _ in }
        await hub.subscribe(client, to: ObjectReference(.environment, BenchmarkPlace.environment), all: true)
        return Contender(place: place, hub: hub)
    }

    /// Points all over the place, three of four of them near to a lamp.
    private func points(_ contender: inout Contender) -> [Point3D] {
        let extent = contender.place.extent
        return (0..<Self.movesOfRound).map { _ in
            Point3D(
                x: contender.generator.unit() * extent.width,
                y: contender.generator.unit() * extent.height,
                z: 1
            )
        }
    }
}

extension FlareHub {
    /// What each move takes, nanoseconds, without the way to the actor.
    fileprivate func timeOfMoves(_ points: [Point3D], of device: ObjectReference) throws -> [Double] {
        try points.map { point in
            try ContinuousClock().measure { _ = try setPosition(device, point) }.nanoseconds
        }
    }
}
