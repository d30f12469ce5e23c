import Resolution
import SeededRandom
import Testing

struct DirectoryMessageTests {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func call(_ text: String) throws(DirectoryRefusal) -> DirectoryCall {
        try DirectoryCall(Array(text.utf8))
    }

    @Test func `messages have exactly their bytes`() throws {
        #expect(text(DirectoryMessage.greeting) == #"{"DDNSConnected":[{"Connected":true}]}"#)
        #expect(DirectoryMessage.greeting.count == 38)
        #expect(
            text(DirectoryMessage.request(["aabbccddeeff", "nobody"]))
                == #"{"HRHomeStationsRequest":[{"StationDID":"aabbccddeeff"},{"StationDID":"nobody"}]}"#
        )
        let address = try #require(StationAddress("192.0.2.7"))
        #expect(
            text(DirectoryMessage.reply([("aabbccddeeff", address), ("nobody", nil)]))
                == #"{"HRHomeStationReply":[{"StationDID":"aabbccddeeff","StationIP":"192.0.2.7"},"#
                + #"{"StationDID":"nobody","StationIP":null}]}"#
        )
        let serial = try #require(StationSerial("aabbccddeeff"))
        #expect(
            text(DirectoryMessage.update(serial, address: address))
                == #"{"HRHomeStationUpdate":{"StationDID":"aa:bb:cc:dd:ee:ff","StationIP":"192.0.2.7"}}"#
        )
        #expect(
            text(DirectoryMessage.update(serial, address: nil, signature: (1_767_225_600, "00ff")))
                == #"{"HRHomeStationUpdate":{"StationDID":"aa:bb:cc:dd:ee:ff","StationTime":1767225600,"StationSign":"00ff"}}"#
        )
        #expect(text(DirectoryMessage.acknowledgement("(17)", address)) == "(17) 192.0.2.7")
        #expect(text(DirectoryMessage.reply([("a\"\\\u{1}", nil)])).contains(#""a\"\\\u0001""#))
    }

    @Test func `a request has names, also those that nobody can have`() throws {
        let call = try call(
            #" { "HRHomeStationsRequest" : [ {"StationDID":"AABBCCDDEEFF"}, {"StationDID":"","x":1} ], "more": {} } "#
        )
        guard case .request(let names) = call else {
            Issue.record("no request: \(call)")
            return
        }
        #expect(names.map(\.sent) == ["AABBCCDDEEFF", ""])
        #expect(names.map { $0.serial?.text } == ["aa:bb:cc:dd:ee:ff", nil])
    }

    @Test(
        arguments: [
            (#"{"HRHomeStationUpdate":{"StationDID":"x","StationIP":"(192.0.2.7)"}}"#, "192.0.2.7"),
            (#"{"HRHomeStationUpdate":{"StationDID":"(187723572702975)"}}"#, nil),
            (#"{"HRHomeStationUpdate":{"StationDID":"x","StationIP":null}}"#, nil),
            ("{“HRHomeStationUpdate”:{“StationDID”:“x”,“StationIP”:“192.0.2.7”}}", "192.0.2.7"),
            // Huge numbers under keys that nobody reads, in both ways of reading.
            (#"{"HRHomeStationUpdate":{"StationDID":"x","a":1e999,"b":[-2e400]},"c":123E+4567}"#, nil),
            ("{“HRHomeStationUpdate”:{“StationDID”:“x”,“a”:1e999}}", nil),
            (#"{"HRHomeStationUpdate":{"StationDID":"x","StationTime":1e999}}"#, nil),
        ] as [(String, String?)]
    )
    func `an update has an address, or means the peer's`(message: String, claimed: String?) throws {
        guard case .update(let update) = try call(message) else {
            Issue.record("no update: \(message)")
            return
        }
        #expect(update.claimed?.description == claimed)
    }

    @Test(
        arguments: [
            ("", DirectoryRefusal.noJSON), ("{", .noJSON), ("[]", .noJSON), ("{}", .unknownMessage),
            (
                #"{"HRHomeStationsRequest":[{"StationDID":"a"}],"HRHomeStationUpdate":{"StationDID":"a"}}"#,
                .unknownMessage
            ),
            (#"{"HRHomeStationsRequest":[]}"#, .tooManyNames), (#"{"HRHomeStationsRequest":{}}"#, .noSerial),
            (#"{"HRHomeStationsRequest":[{"StationDID":5}]}"#, .noSerial),
            (#"{"HRHomeStationsRequest":[{}]}"#, .noSerial),
            (#"{"HRHomeStationUpdate":{"StationIP":"1.2.3.4"}}"#, .noSerial),
            (#"{"HRHomeStationUpdate":[]}"#, .noSerial),
            (#"{"HRHomeStationUpdate":{"StationDID":"a","StationIP":"300.1.1.1"}}"#, .noAddress),
            (#"{"HRHomeStationUpdate":{"StationDID":"a","StationIP":"::1"}}"#, .noAddress),
            (#"{"HRHomeStationUpdate":{"StationDID":"a","StationIP":7}}"#, .noAddress),
            (#"{"HRHomeStationUpdate":{"StationDID":" ","StationIP":"1.2.3.4"}}"#, .noSerial),
        ]
    )
    func `anything else is refused`(message: String, refusal: DirectoryRefusal) {
        #expect(throws: refusal) { try self.call(message) }
    }

    @Test func `one name to a hundred may be asked for`() throws {
        let hundred = DirectoryMessage.request((0..<100).map { "s\($0)" })
        let more = DirectoryMessage.request((0..<101).map { "s\($0)" })
        #expect(throws: Never.self) { try DirectoryCall(hundred) }
        #expect(throws: DirectoryRefusal.tooManyNames) { try DirectoryCall(more) }
    }

    // MARK: Where a message ends

    @Test func `a message is complete with its last bracket, however it arrives`() {
        let message = Array(#" {"a":"}]{\"","b":[{"c":[]}]}"#.utf8)
        var buffer = MessageBuffer()
        for byte in message.dropLast() { #expect(buffer.append([byte]) == .incomplete) }
        #expect(buffer.append([message[message.count - 1]]) == .complete(message))
        #expect(buffer.append(message + Array("rest".utf8)) == .complete(message))
        #expect(buffer.next() == .refused(.noJSON))
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.1", DirectoryRefusal.noJSON), ("[", .noJSON), ("\"", .noJSON),
            ("\u{FEFF}{}", .noJSON),
            (String(repeating: "{\"a\":", count: 9), .tooDeep),
            ("{" + String(repeating: "[", count: 1_000_000), .tooDeep),
            ("{\"" + String(repeating: "x", count: 65_536), .tooLong),
            (String(repeating: " ", count: 65_537), .tooLong),
        ]
    )
    func `what cannot become a message is refused at once`(text: String, refusal: DirectoryRefusal) {
        var buffer = MessageBuffer()
        #expect(buffer.append(Array(text.utf8)) == .refused(refusal))
    }

    @Test func `a message of 64 KiB is the longest`() {
        let frame = #"{"a":""}"#.utf8.count
        for (length, isLegal) in [(65_536, true), (65_537, false)] {
            let text = "{\"a\":\"\(String(repeating: "x", count: length - frame))\"}"
            var buffer = MessageBuffer()
            let step = buffer.append(Array(text.utf8))
            #expect(step == (isLegal ? .complete(Array(text.utf8)) : .refused(.tooLong)))
        }
    }

    @Test func `random and damaged bytes are refused or read, in any pieces`() {
        var random = SplitMix64(seed: 15)
        let samples = [
            DirectoryMessage.request(["aabbccddeeff", "(17)"]), DirectoryMessage.greeting,
            Array(
                #"{"HRHomeStationUpdate":{"StationDID":"(187723572702975)","StationIP":"(192.0.2.7)"}}"#.utf8
            ),
            Array("{“HRHomeStationUpdate”:{“StationDID”:“x”}}".utf8),
        ]
        for sample in samples {
            for index in sample.indices {
                for byte: UInt8 in [0, 0x22, 0x5B, 0x7D, 0xFF, UInt8.random(in: 0...255, using: &random)] {
                    var damaged = sample
                    damaged[index] = byte
                    var (whole, pieces) = (MessageBuffer(), MessageBuffer())
                    let step = whole.append(damaged)
                    var last = MessageBuffer.Step.incomplete
                    for byte in damaged where last == .incomplete { last = pieces.append([byte]) }
                    #expect(step == last)
                    if case .complete(let message) = step { _ = try? DirectoryCall(message) }
                }
                _ = try? DirectoryCall(Array(sample[..<index]))
            }
        }
    }
}
