import Dispatch
import MQTT
import SeededRandom
import TestSupport
import Threading
import Testing

/// How publications leave: as many at a time as the broker accepts, in order, and again until they are acknowledged.
@Suite(.timeLimit(.minutes(2)))
struct DeliveryTests {
    private func message(_ number: Int, _ qos: MQTTQoS = .atLeastOnce) -> MQTTMessage {
        MQTTMessage(topic: "n/\(number)", payload: bytes("\(number)"), qos: qos)
    }

    private func topics(_ numbers: Range<Int>) -> [String] { numbers.map { "n/\($0)" } }

    // MARK: mosquitto

    @Test(.enabled(if: Mosquitto.isExpected), arguments: [1, 2, 20], [MQTTProtocolChoice.v5, .v311])
    func `a thousand publications arrive in order, however few the broker accepts at a time`(
        receiveMaximum: Int,
        version: MQTTProtocolChoice
    ) async throws {
        var options = MosquittoOptions()
        options.lines = ["max_inflight_messages \(receiveMaximum)"]
        try await withMosquitto(options) { broker in
            let settings = configuration(port: broker.port) { $0.protocolVersion = version }
            try await withConnectedClient(settings) { client, _ in
                let heard = client.subscribe(["n/#"], qos: .atLeastOnce)
                try await client.publishAndWait(message(0))
                for number in 1..<1000 { #expect(client.publish(message(number)) == .queued) }
                let isInOrder = await heard.first(1000).map(\.topic) == topics(0..<1000)
                #expect(isInOrder)
                #expect(await eventually { client.counters.queued == 0 })
                #expect(client.counters.sent == 1000 && client.counters.connects == 1)
            }
        }
    }

    @Test(.enabled(if: Mosquitto.isExpected))
    func `a publication that is larger than the broker accepts is refused and the link stays up`()
        async throws
    {
        var options = MosquittoOptions()
        options.lines = ["max_packet_size 200"]
        try await withMosquitto(options) { broker in
            let settings = configuration(port: broker.port) { $0.protocolVersion = .v5 }
            try await withConnectedClient(settings) { client, _ in
                // Header 3, topic 3, identifier 2, properties 1.
                let fits = MQTTMessage(
                    topic: "t",
                    payload: Array(repeating: 1, count: 191),
                    qos: .atLeastOnce
                )
                try await client.publishAndWait(fits)
                var large = fits
                large.payload.append(1)
                #expect(client.publish(large) == .refused(.tooLarge(topic: "t", bytes: 192)))
                try await client.publishAndWait(fits)
                #expect(client.counters.connects == 1 && client.counters.refused == 1)
            }
        }
    }

    @Test(.enabled(if: Mosquitto.isExpected))
    func `what a halted broker does not read waits, and arrives in order`() async throws {
        try await withMosquitto { broker in
            try await withConnectedClient(configuration(port: broker.port)) { client, _ in
                let heard = client.subscribe(["n/#"], qos: .atLeastOnce)
                try await client.publishAndWait(message(0))
                await broker.freeze()
                for number in 1..<10_000 { #expect(client.publish(message(number)) == .queued) }
                #expect(client.publish(message(0)) == .queued)
                #expect(client.publish(message(0)) == .refused(.queueFull(limit: 10_000)))
                var large = message(0, .atMostOnce)
                large.topic = "large"
                large.payload = Array(repeating: 1, count: 100_000)
                for _ in 0..<200 { client.publish(large) }
                await broker.thaw()
                let isInOrder = await heard.first(10_000).map(\.topic) == topics(0..<10_000)
                #expect(isInOrder)
                #expect(await eventually { client.counters.queued == 0 })
                #expect(client.counters.connects == 1 && client.counters.dropped == 0)
                #expect(await eventually { client.counters.sent == 10_201 })
            }
        }
    }

    @Test(.enabled(if: Mosquitto.isExpected), arguments: [MQTTProtocolChoice.v5, .v311])
    func `what was published before the end is written before it, and the will is not sent`(
        version: MQTTProtocolChoice
    ) async throws {
        try await withMosquitto { broker in
            try await withConnectedClient(configuration(port: broker.port)) { watcher, _ in
                let heard = watcher.subscribe(["#"], qos: .atLeastOnce)
                try await watcher.publishAndWait(MQTTMessage(topic: "begin", qos: .atLeastOnce))
                #expect(await heard.first(1).map(\.topic) == ["begin"])
                for turn in 0..<5 {
                    let last = turn > 2 ? MQTTMessage(topic: "last", qos: .atLeastOnce) : nil
                    let settings = configuration(port: broker.port) {
                        $0.protocolVersion = version
                        $0.will = MQTTMessage(topic: "will")
                    }
                    try await withConnectedClient(settings) { client, _ in
                        for number in 0..<40 { client.publish(message(number, .atMostOnce)) }
                        await client.stop(last: last)
                    }
                    let expected = topics(0..<40) + (last == nil ? [] : ["last"])
                    #expect(await heard.first(expected.count).map(\.topic) == expected)
                    // The broker reads each connection by turns: one that comes later may be read first.
                    let goodbyes = await eventually {
                        broker.log.ranges(of: "Received DISCONNECT from").count == turn + 1
                    }
                    #expect(goodbyes)
                }
                try await watcher.publishAndWait(MQTTMessage(topic: "end", qos: .atLeastOnce))
                #expect(await heard.first(1).map(\.topic) == ["end"])
            }
        }
    }

    // MARK: A broker of our own

    /// What a broker of our own has read.
    private struct Record {
        /// The publications of each connection.
        var publications: [[MQTTMessage]] = []
        var mostUnacknowledged = 0
        var others: [UInt8] = []
        var problem: MalformedPacket?
    }

    /// Reads what a client sends and acknowledges it in random order, until the connection has lasted long enough.
    private func serve(
        _ version: UInt8,
        _ connection: HostileBroker.Connection,
        receiveMaximum: UInt8,
        publications limit: Int,
        seed: UInt64,
        _ record: Locked<Record>
    ) {
        var dice = SplitMix64(seed: seed)
        let connack: [UInt8] = version == 5 ? [0x20, 6, 0, 0, 3, 0x21, 0, receiveMaximum] : [0x20, 2, 0, 0]
        guard connection.send(connack) else { return }
        record.withLock { $0.publications.append([]) }
        var splitter = PacketSplitter()
        var unacknowledged: [UInt16] = []
        var count = 0
        while count < limit {
            let part = connection.receive()
            guard !part.isEmpty else { return }
            let problem: MalformedPacket? = part.withUnsafeBytes { bytes in
                splitter.split(bytes) { part in
                    switch part {
                    case .library(let bytes): record.withLock { $0.others += bytes }
                    case .own(let packet):
                        do throws(MalformedPacket) {
                            let packet = try IncomingPacket(packet, isV5: version == 5, payloadLimit: .max)
                            guard case .publish(let message, let id, _) = packet else { return nil }
                            count += 1
                            if let id { unacknowledged.append(id) }
                            let number = unacknowledged.count
                            record.withLock {
                                $0.publications[$0.publications.count - 1].append(message)
                                $0.mostUnacknowledged = max($0.mostUnacknowledged, number)
                            }
                        } catch { return error }
                    }
                    return nil
                }
            }
            if let problem { return record.withLock { $0.problem = problem } }
            unacknowledged.shuffle(using: &dice)
            let answers = unacknowledged.flatMap { [0x40, 2, UInt8($0 >> 8), UInt8($0 & 0xFF)] as [UInt8] }
            unacknowledged = []
            guard answers.isEmpty || connection.send(answers) else { return }
        }
    }

    private func withBroker(
        tls: Bool,
        _ body: @escaping @Sendable (_ version: UInt8, HostileBroker.Connection) -> Void,
        _ test: (MQTTConfiguration) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let certificates = tls ? try await TestCertificates.make(in: folder) : nil
            let broker = try HostileBroker(certificates, body)
            defer { broker.stop() }
            let settings = configuration(port: broker.port) {
                $0.reconnectMinimumSeconds = 0.001
                $0.reconnectMaximumSeconds = 0.001
                guard let certificates else { return }
                $0.host = "localhost"
                $0.tls.isEnabled = true
                $0.tls.caFile = certificates.caFile
            }
            try await test(settings)
        }
    }

    @Test(arguments: [MQTTProtocolChoice.v5, .v311], [false, true])
    func `every publication is sent until it is acknowledged, over any number of links`(
        version: MQTTProtocolChoice,
        tls: Bool
    ) async throws {
        let (record, links) = (Locked(Record()), Locked(UInt64(0)))
        try await withBroker(tls: tls) { version, connection in
            let link = links.withLock { number in
                number += 1
                return number
            }
            var dice = SplitMix64(seed: link)
            let (receiveMaximum, limit) = (UInt8(1 + dice.number(below: 30)), 1 + dice.number(below: 150))
            serve(
                version,
                connection,
                receiveMaximum: receiveMaximum,
                publications: limit,
                seed: dice.next(),
                record
            )
        } _: { settings in
            var settings = settings
            settings.protocolVersion = version
            settings.maximumInflight = 25
            try await withClient(settings) { client in
                for number in 0..<1000 { #expect(client.publish(message(number)) == .queued) }
                #expect(await eventually(within: .seconds(60)) { client.counters.queued == 0 })
                #expect(client.counters.connects > 3)
            }
        }
        let read = record.withLock { $0 }
        #expect(read.problem == nil && read.mostUnacknowledged <= 25)
        // The first time in order, and nothing is missing.
        var seen: Set<String> = []
        let firsts = read.publications.joined().map(\.topic).filter { seen.insert($0).inserted }
        #expect(firsts == topics(0..<1000))
        for link in read.publications {
            let numbers = link.compactMap { Int($0.topic.dropFirst(2)) }
            #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        }
    }

    @Test func `no more is under way than the Receive Maximum`() async throws {
        let record = Locked(Record())
        let broker = try HostileBroker(nil) { version, connection in
            serve(version, connection, receiveMaximum: 3, publications: .max, seed: 5, record)
        }
        defer { broker.stop() }
        try await withConnectedClient(configuration(port: broker.port)) { client, _ in
            for number in 0..<500 { client.publish(message(number)) }
            #expect(await eventually { client.counters.queued == 0 })
        }
        #expect(record.withLock { $0.mostUnacknowledged } == 3)
        #expect(record.withLock { $0.publications.flatMap(\.self).count } == 500)
    }

    @Test(arguments: [false, true])
    func `subscriptions and publications from many threads do not mix on the socket`(tls: Bool) async throws {
        let record = Locked(Record())
        try await withBroker(tls: tls) { version, connection in
            serve(version, connection, receiveMaximum: 200, publications: .max, seed: 5, record)
        } _: { settings in
            try await withConnectedClient(settings) { client, _ in
                await withTaskGroup(of: Void.self) { group in
                    for task in 0..<8 {
                        group.addTask {
                            for number in 0..<250 {
                                // Beyond what the socket takes at once.
                                let payload = [UInt8](repeating: 1, count: number % 50 == 0 ? 1 << 20 : 10)
                                let topic = "n/\(task * 1000 + number)"
                                let qos: MQTTQoS = number % 3 == 0 ? .atMostOnce : .atLeastOnce
                                client.publish(MQTTMessage(topic: topic, payload: payload, qos: qos))
                                if number % 10 == 0 { _ = client.subscribe([topic], qos: .atMostOnce) }
                            }
                        }
                    }
                }
                #expect(await eventually { client.counters.queued == 0 })
                #expect(await eventually { record.withLock { $0.publications[0].count } == 2000 })
                #expect(client.counters.connects == 1)
                #expect(await eventually { client.counters.sent == 2000 })
            }
        }
        let read = record.withLock { $0 }
        #expect(read.problem == nil)
        // SUBSCRIBE, UNSUBSCRIBE, and DISCONNECT at most.
        var heads: Set<UInt8> = []
        var rest = read.others[...]
        while let head = rest.first {
            heads.insert(head)
            rest = rest.dropFirst(2 + Int(rest.dropFirst().first ?? 0))
        }
        #expect(heads.isSubset(of: [0x82, 0xA2, 0xE0]) && heads.contains(0x82))
    }

    @Test func `what is published on a loop is written in one piece when it rests, or when asked`()
        async throws
    {
        let reads = Locked([[UInt8]]())
        let broker = try HostileBroker(nil) { version, connection in
            _ = connection.send(BrokerPackets.connack(version == 5 ? .v5 : .v311))
            while true {
                let part = connection.receive()
                if part.isEmpty { return }
                reads.withLock { $0.append(part) }
            }
        }
        defer { broker.stop() }
        let loop = try LoopExecutor()
        let (connects, connect) = AsyncStream.makeStream(of: Void.self)
        let client = MQTTClient(configuration(port: broker.port), logger: LogRecorder().logger)
        client.handleLinkEvents(on: loop) { _ in connect.yield() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await client.run() }
            for await _ in connects { break }
            for isAsked in [false, true] {
                let before = reads.withLock { $0.count }
                loop.perform {
                    for number in 0..<3 {
                        client.publish(message(number))
                        if isAsked, number == 0 { client.flush() }
                    }
                }
                #expect(await eventually { reads.withLock { $0.dropFirst(before).joined().count == 33 } })
                if !isAsked { #expect(reads.withLock { $0.count } - before == 1) }
            }
            group.cancelAll()
        }
    }

    @Test func `while too many bytes wait for a handler the broker keeps the rest, and nothing is lost`()
        async throws
    {
        let payload = [UInt8](repeating: 7, count: 65_000)
        let number = 200
        let broker = try HostileBroker(flooding: number) { isV5 in
            BrokerPackets.packet(0x30, [0, 1, 0x74] + (isV5 ? [0] : []) + payload)
        }
        defer { broker.stop() }
        let loop = try LoopExecutor()
        let handled = Locked(0)
        let gate = DispatchSemaphore(value: 0)
        try await withClient(configuration(port: broker.port) { $0.maximumUnreadBytes = 1 << 20 }) { client in
            let subscription = client.subscribe(["t"], qos: .atMostOnce, on: loop) { message in
                #expect(message.payload.count == payload.count)
                handled.withLock { $0 += 1 }
            }
            loop.perform { gate.wait() }
            // 17 of them have 1 MiB; what is read at a time is less than one.
            #expect(await eventually { client.counters.received >= 17 })
            #expect(await eventually(within: .milliseconds(200)) { client.counters.received > 18 } == false)
            gate.signal()
            #expect(await eventually { handled.withLock { $0 } == number })
            #expect(client.counters.lost == 0)
            subscription.cancel()
        }
    }

    @Test func `an idle link is kept alive`() async throws {
        let pings = Locked(0)
        let broker = try HostileBroker(nil) { version, connection in
            _ = connection.send(BrokerPackets.connack(version == 5 ? .v5 : .v311))
            while true {
                let part = connection.receive()
                if part.isEmpty { return }
                guard part.starts(with: [0xC0, 0]) else { continue }
                pings.withLock { $0 += 1 }
                _ = connection.send([0xD0, 0])
            }
        }
        defer { broker.stop() }
        try await withConnectedClient(configuration(port: broker.port) { $0.keepAliveSeconds = 5 }) {
            client,
            _ in
            #expect(await eventually { pings.withLock { $0 } > 0 })
            #expect(client.counters.connects == 1)
        }
    }
}
