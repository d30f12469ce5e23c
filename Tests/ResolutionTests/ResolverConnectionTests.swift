import Resolution
import Testing

/// Both ends of a connection.
struct ResolverConnectionTests {
    private let request = DirectoryMessage.request(["AABBCCDDEEFF", "nobody"])
    private let update = Array(#"{"HRHomeStationUpdate":{"StationDID":"x","StationIP":"192.0.2.7"}}"#.utf8)

    private func connection(acknowledges: Bool = false) -> ResolverConnection {
        ResolverConnection(acknowledges: acknowledges, now: 0)
    }

    @Test func `a request is looked up, answered, and then the writing side is closed`() throws {
        var connection = connection()
        #expect(connection.opening == [.send(DirectoryMessage.greeting)])
        guard case .lookUp(let names)? = connection.received(request, now: 10).first else {
            Issue.record("nothing is looked up")
            return
        }
        #expect(connection.deadline == nil)
        let address = try #require(StationAddress("192.0.2.7"))
        let actions = connection.answered([(names[0].sent, address), (names[1].sent, nil)], now: 20)
        #expect(
            actions == [
                .send(
                    Array(
                        (#"{"HRHomeStationReply":[{"StationDID":"AABBCCDDEEFF","StationIP":"192.0.2.7"},"#
                            + #"{"StationDID":"nobody","StationIP":null}]}"#).utf8
                    )
                ), .closeWriting,
            ]
        )
        #expect(connection.received(request, now: 30) == [])
        #expect(connection.deadline == 1020)
        #expect(connection.tick(now: 1020) == [.close])
    }

    @Test func `a peer that closes its side is answered`() {
        var connection = connection()
        _ = connection.received(request, now: 0)
        #expect(connection.peerClosed() == [])
        let actions = connection.answered([], now: 0)
        #expect(actions.suffix(2) == [.closeWriting, .close])
    }

    @Test func `an update is not answered, unless acknowledgements are on`() throws {
        let address = try #require(StationAddress("192.0.2.7"))
        for acknowledges in [false, true] {
            var connection = connection(acknowledges: acknowledges)
            guard case .update(let update)? = connection.received(update, now: 0).first else {
                Issue.record("no update")
                return
            }
            let actions = connection.stored(update, address, now: 5)
            #expect(actions == (acknowledges ? [.send(Array("x 192.0.2.7".utf8))] : []) + [.closeWriting])
        }
    }

    @Test func `what is refused is counted and gets no byte`() {
        var connection = connection()
        #expect(connection.received(Array("GET /".utf8), now: 0) == [.refused(.noJSON), .closeWriting])
        #expect(connection.peerClosed() == [.close])
        var other = self.connection()
        _ = other.received(update, now: 0)
        #expect(other.refuse(.tooOften, now: 0) == [.refused(.tooOften), .closeWriting])
    }

    @Test func `three seconds without a byte, and ten in all, are enough`() {
        var silent = connection()
        #expect(silent.deadline == 3000)
        #expect(silent.tick(now: 2999) == [])
        #expect(silent.tick(now: 3000) == [.refused(.tooSlow), .close])
        var slow = connection()
        var now: Int64 = 0
        while let deadline = slow.deadline, now + 2000 < deadline {
            now += 2000
            #expect(slow.received(Array(" ".utf8), now: now) == [])
            _ = slow.received(Array("{".utf8).prefix(now == 2000 ? 1 : 0), now: now)
        }
        #expect(slow.deadline == 10_000)
        #expect(slow.tick(now: 10_000) == [.refused(.tooSlow), .close])
    }

    @Test func `a peer that leaves is closed; in the middle of a message it is counted`() {
        var early = connection()
        #expect(early.peerClosed() == [.close])
        var middle = connection()
        _ = middle.received(request.prefix(20), now: 0)
        #expect(middle.peerClosed() == [.refused(.incomplete), .close])
    }

    // MARK: The client's end

    private static let serial = StationSerial("aabbccddeeff")

    private func result(
        _ pieces: [String],
        closes: Bool = false
    ) throws -> (result: ResolverQuery.Result?, sent: [[UInt8]]) {
        var query = ResolverQuery(try #require(Self.serial), now: 0)
        var actions = pieces.flatMap { query.received(Array($0.utf8), now: 1) }
        if closes { actions += query.closed() }
        let results = actions.compactMap { if case .end(let result) = $0 { result } else { nil } }
        #expect(results.count <= 1)
        return (results.first, actions.compactMap { if case .send(let bytes) = $0 { bytes } else { nil } })
    }

    private static let greeting = "{ \"DDNSConnected\" : [ { \"Connected\" : true } ] }\r\n"

    @Test(
        arguments: [
            (
                #"{"HRHomeStationReply":[{"StationDID":"AA-BB-CC-DD-EE-FF","StationIP":"192.0.2.7"}]}"#,
                "192.0.2.7"
            ),
            (
                #"{"HRHomeStationReply":[{"StationDID":"x","StationIP":"1.2.3.4"},{"StationDID":"aabbccddeeff","StationIP":"192.0.2.7"}]}"#,
                "192.0.2.7"
            ),
            (#"{"HRHomeStationReply":[{"StationDID":"aabbccddeeff","StationIP":null}]}"#, nil),
            (#"{"HRHomeStationReply":[{"StationDID":"aabbccddeeff"}]}"#, nil),
        ] as [(String, String?)]
    )
    func `the first entry for the serial counts`(reply: String, address: String?) throws {
        let (result, sent) = try result([Self.greeting, reply])
        #expect(result == address.flatMap { StationAddress($0) }.map { .found($0) } ?? .unknown)
        #expect(sent == [DirectoryMessage.request(["aa:bb:cc:dd:ee:ff"])])
        // In one piece, and byte by byte.
        #expect(try self.result([Self.greeting + reply]).result == result)
        #expect(try self.result((Self.greeting + reply).map { String($0) }).result == result)
    }

    @Test(
        arguments: [
            #"{"HRHomeStationReply":[{"StationDID":"other","StationIP":"192.0.2.7"}]}"#,
            #"{"HRHomeStationReply":[]}"#,
            #"{"HRHomeStationReply":[{"StationDID":"aabbccddeeff","StationIP":"::1"}]}"#, "{}",
            "HTTP/1.1 200 OK",
            "{" + String(repeating: "[", count: 20), "{\"" + String(repeating: "x", count: 100_000),
        ]
    )
    func `all else is a bad answer`(reply: String) throws {
        #expect(try result([Self.greeting, reply]).result == .badAnswer)
    }

    @Test func `no greeting, no reply, or a closed connection is no answer`() throws {
        var query = ResolverQuery(try #require(Self.serial), now: 0)
        #expect(query.tick(now: 2999) == [])
        #expect(query.tick(now: 3000) == [.end(.noAnswer)])
        #expect(query.closed() == [])
        var silent = ResolverQuery(try #require(Self.serial), now: 0)
        _ = silent.received(Array(Self.greeting.utf8), now: 2000)
        #expect(silent.deadline == 5000)
        #expect(silent.tick(now: 5000) == [.end(.noAnswer)])
        #expect(try result([Self.greeting], closes: true).result == .noAnswer)
        #expect(try result([Self.greeting, "{\"HR"], closes: true).result == .badAnswer)
        #expect(try result([#"{"DDNSConnected":[]}"#]).result == .badAnswer)
    }

    // MARK: The station's end

    @Test func `an update follows the greeting, and is delivered when the resolver closes`() {
        var delivery = UpdateDelivery(update, now: 0)
        #expect(delivery.received(Array(Self.greeting.utf8.prefix(5)), now: 0) == [])
        #expect(delivery.received(Array(Self.greeting.utf8.dropFirst(5)), now: 0) == [.send(update)])
        #expect(delivery.received(Array("x 192.0.2.7".utf8), now: 0) == [])
        #expect(delivery.closed() == [.end(.delivered)])
        var early = UpdateDelivery(update, now: 0)
        #expect(early.closed() == [.end(.notTaken)])
        var strange = UpdateDelivery(update, now: 0)
        #expect(strange.received(Array("HTTP".utf8), now: 0) == [.end(.notTaken)])
        var silent = UpdateDelivery(update, now: 0)
        #expect(silent.tick(now: 3000) == [.end(.notTaken)])
    }
}
