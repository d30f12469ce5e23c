import Positioning
import Receivers
import SeededRandom
import Sensors
import Testing

@Suite struct IdentityKeyTests {
    private let cipher = AESBlock.cipher
    /// The key of the specification's sample data (volume 3, part H, appendix D.7).
    static let sample = "ec0234a357c8ad05341010a60a397d9b"

    @Test func `the hash of the specification's sample data is found`() throws {
        let key = try IdentityKey(text: Self.sample)
        #expect(key.hash(of: 0x708194, cipher) == 0x0DFBAA)
        let address = try #require(DeviceAddress("70:81:94:0D:FB:AA", isRandom: true))
        #expect(key.resolves(address, cipher))
        #expect(!key.reversed.resolves(address, cipher))
        #expect(!key.resolves(try #require(DeviceAddress("70:81:94:0D:FB:AB", isRandom: true)), cipher))
        #expect(!key.resolves(try #require(DeviceAddress("70:81:94:0D:FB:AA")), cipher))
    }

    @Test(arguments: [
        "ec0234a357c8ad05341010a60a397d9b", "EC0234A357C8AD05341010A60A397D9B",
        "ec:02:34:a3:57:c8:ad:05:34:10:10:a6:0a:39:7d:9b", "EC-02-34-A3-57-C8-AD-05-34-10-10-A6-0A-39-7D-9B",
        "ec 02 34 a3 57 c8 ad 05 34 10 10 a6 0a 39 7d 9b", "0xec0234a357c8ad05341010a60a397d9b",
        "irk:ec0234a357c8ad05341010a60a397d9b", "  ec0234a357c8ad05341010a60a397d9b\n",
        // Base64 has the bytes in the other order, as macOS shows them.
        "m305CqYQEDQFrchXozQC7A==", "m305CqYQEDQFrchXozQC7A", "irk:m305CqYQEDQFrchXozQC7A==",
    ])
    func `a key is read in every form in which systems show it`(_ text: String) throws {
        #expect(try IdentityKey(text: text) == IdentityKey(text: Self.sample))
    }

    @Test func `the reversed digits are the reversed key`() throws {
        let key = try IdentityKey(text: "9b7d390aa610103405adc857a33402ec")
        #expect(try key.reversed == IdentityKey(text: Self.sample))
    }

    @Test(
        arguments: [
            ("ec0234a357c8ad05341010a60a397d9", IdentityKeyError.digits(31)),
            ("ec0234a357c8ad05341010a60a397d9b00", .digits(34)), ("ab", .digits(2)), ("", .unreadable),
            ("irk:", .unreadable), ("0x", .unreadable), ("not a key", .unreadable), ("äöü", .unreadable),
            ("00000000000000000000000000000000", .zeros), ("m305CqYQEDQFrchXozQC", .bytes(15)),
            (String(repeating: "a", count: 200), .unreadable),
        ] as [(String, IdentityKeyError)]
    )
    func `another text is refused with a sentence that does not show it`(
        _ text: String,
        _ error: IdentityKeyError
    ) {
        #expect(throws: error) { try IdentityKey(text: text) }
        #expect(text.utf8.count < 3 || !error.description.contains(text))
        #expect(error.description.contains("identity key"))
    }

    @Test func `a key is never printed`() throws {
        let key = try IdentityKey(text: Self.sample)
        #expect("\(key) \([key])" == "*** [***]")
        var dump = ""
        Swift.dump(key, to: &dump)
        #expect(!dump.contains("236") && !dump.lowercased().contains("ec02"))
        #expect(key.reveal() == Self.sample)
    }

    @Test func `a key's fingerprint is stable and belongs to it alone`() throws {
        let key = try IdentityKey(text: Self.sample)
        let print = key.fingerprint(cipher)
        #expect(print.utf8.count == 16 && print == key.fingerprint(cipher))
        #expect(print != key.reversed.fingerprint(cipher) && !Self.sample.contains(print))
    }

    @Test func `arbitrary texts give a key or an error`() {
        var fuzz = Fuzz(seed: 4, corpus: [Self.sample, "m305CqYQEDQFrchXozQC7A==", "ec:02:34:a3"])
        var read = 0
        for _ in 0..<Fuzz.count
        where (try? IdentityKey(text: String(decoding: fuzz.next(), as: UTF8.self))) != nil {
            read += 1
        }
        #expect(read > 50)
    }
}
