import Positioning
import Receivers
import SeededRandom
import Testing

@Suite struct HeardIDTests {
    private static let uuid = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"

    @Test(arguments: [
        (
            "iBeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6-1-7",
            "iBeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6-1-7"
        ),
        ("ibeacon:2F234454CF6D4A0FADF2F4911BA9FFA6-1-7", "iBeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6-1-7"),
        ("eddystone:00112233445566778899-AABBCCDDEEFF", "eddystone:00112233445566778899-aabbccddeeff"),
        // As ESPresense writes it, with the fifth byte twice.
        ("eddy:0011223344445566778899-aabbccddeeff", "eddystone:00112233445566778899-aabbccddeeff"),
        ("mac:AABBCCDDEEFF", "aabbccddeeff"), ("known:aa:bb:cc:dd:ee:ff", "aabbccddeeff"),
        ("AA:BB:CC:DD:EE:FF", "aabbccddeeff"), ("aa-bb-cc-dd-ee-ff", "aabbccddeeff"),
        ("aabbccddeeff", "aabbccddeeff"), ("phone:anna", "phone:anna"),
        ("name:anna-s-watch", "name:anna-s-watch"),
        ("apple:1006:10-12", "apple:1006:10-12"), ("irk:anna", "irk:anna"), ("irk:dad", "irk:dad"),
        ("irk:0123456789abcdef", "irk:0123456789abcdef"), ("irk:ec0234a357c8ad05341010a60a397d9b", "irk:***"),
        ("irk:m305CqYQEDQFrchXozQC7A==", "irk:***"), ("irk:AB/+CqYQEDQFrchXozQC7A==", "irk:***"),
    ])
    func `an id is read in each form and has one`(_ text: String, _ form: String) throws {
        let id = try HeardID(text: text)
        #expect("\(id)" == form)
        #expect(try HeardID(text: id.storedText) == id)
    }

    @Test(arguments: [
        ("", "bytes"), (String(repeating: "x", count: 201), "bytes"), ("phone:+", "without +"),
        ("phone:#", "without +"), ("phone/anna", "without +"), ("phone:a\u{7}b", "control"),
        ("phone:a\u{202E}b", "control"), ("anna", "must be an id such as"), (":x", "such as"),
        ("x:", "such as"),
        ("iBeacon:2f234454-1-7", "iBeacon:<uuid>"),
        ("iBeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6-1-70000", "iBeacon:<uuid>"),
        ("iBeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6-+1-7", "without +"),
        ("eddystone:0011-22", "namespace"), ("mac:aabbccddee", "mac:aabbccddeeff"),
        ("known:aabbccddeegg", "known:aabbccddeeff"),
        ("irk:ec0234a357c8ad05341010a60a397d9", "32 hexadecimal digits (has 31)"),
        ("irk:ec02", "32 hexadecimal digits (has 4)"), ("irk:", "identity key must be"),
        ("irk:00000000000000000000000000000000", "zeros"),
    ])
    func `another id is refused with what is legal`(_ text: String, _ legal: String) {
        let error = #expect(throws: HeardIDError.self) { try HeardID(text: text) }
        #expect(error?.description.contains(legal) == true)
        // Not even a part of a key is shown.
        #expect(!(error?.description.contains("ec0234") ?? true))
    }

    @Test(arguments: [
        "m305CqYQEDQFrchXozQC7A==", "AB/+CqYQEDQFrchXozQC7A==", "ec0234a357c8ad05341010a60a397d9b",
        "ec:02:34:a3:57:c8:ad:05:34:10:10:a6:0a:39:7d:9b", " irk:ec0234a357c8ad05341010a60a397d9b",
        "IRK =ec0234a357c8ad05341010a60a397d9b", "irk : AB/+CqYQEDQFrchXozQC7A==",
        "mac:ec0234a357c8ad05341010a60a397d9b",
    ])
    func `a key without irk: is no id, and its refusal does not show it`(_ text: String) {
        let error = #expect(throws: HeardIDError.self) { try HeardID(text: text) }
        #expect(error?.description == "an identity key must have irk: before it")
    }

    @Test(arguments: [
        ("ec0234a357c8ad05341010a60a397d9", "(has 31 hexadecimal digits)"),
        ("ec0234a357c8ad05341010a60a397d9b7", "(has 33 hexadecimal digits)"),
        ("ec0234a357c8ad053410l0a60a397d9b", "(has 31 hexadecimal digits and 1 other letter)"),
        ("ec:02:34:a3:57:c8:ad:05:34:10:10:a6:0a:39:7d/9b", "(has 32 hexadecimal digits)"),
        ("mac:ec0234a357c8ad05341010a60a397d9", "(has 31 hexadecimal digits)"),
        (":ec0234a357c8ad05341010a60a397doo", "(has 30 hexadecimal digits and 2 other letters)"),
        ("irk :ec0234a357c8ad05341010a60a397d9", "must have irk: before it"),
        ("IRK=ec0234a357c8ad05341010a60a397d9", "must have irk: before it"),
        ("ec:02:34:a3:57:c8:ad:05:34:10:10:a6:0a:39:7d", "must have irk: before it"),
        ("ec:02:34:a3:57:c8:ad:05:34:10:10:a6:0a:39:7d:9b:9b", "must have irk: before it"),
        ("ec:02:34:a3:57:c8:ad:05:34:1o:10:a6:0a:39:7:9b", "must have irk: before it"),
    ])
    func `a mistyped key is described in its refusal, and not shown`(_ text: String, _ words: String) {
        let error = #expect(throws: HeardIDError.self) { try HeardID(text: text) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        let shown = error?.description ?? "ec0234"
        #expect(!shown.contains("ec0234") && !shown.contains("ec:02"))
    }

    @Test(arguments: [
        "iBeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6-1-70000", "mac:aabbccddee",
        "the phone of Anna in the hall",
    ])
    func `what cannot be a key is shown in its refusal`(_ text: String) {
        let error = #expect(throws: HeardIDError.self) { try HeardID(text: text) }
        #expect(error?.description.contains("(is \"\(text)\")") == true)
    }

    @Test func `a key is neither printed nor published`() throws {
        let id = try HeardID(text: "irk:ec0234a357c8ad05341010a60a397d9b")
        #expect(!"\(id) \([id]) \(String(reflecting: id))".contains("ec0234"))
        #expect(!ReceiverTopics(base: "espresense").report(id, by: "kitchen").contains("ec0234"))
    }

    @Test func `an id that nobody could write is kept letter by letter`() {
        #expect(HeardID(reported: "iBeacon:nonsense") == .text("iBeacon:nonsense"))
        #expect(HeardID(reported: "known:aabbccddeeff") == .address(0xAABB_CCDD_EEFF))
    }

    @Test func `arbitrary texts give an id that is read again, or an error`() throws {
        var fuzz = Fuzz(
            seed: 9,
            corpus: [
                "iBeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6-1-7",
                "eddy:0011223344445566778899-aabbccddeeff",
                "irk:ec0234a357c8ad05341010a60a397d9b", "mac:aabbccddeeff", "phone:anna",
            ]
        )
        var read = 0
        for _ in 0..<Fuzz.count {
            guard let id = try? HeardID(text: String(decoding: fuzz.next(), as: UTF8.self)) else { continue }
            read += 1
            #expect(try HeardID(text: id.storedText) == id)
            #expect("\(id)".utf8.allSatisfy { !"+#/".utf8.contains($0) })
        }
        #expect(read > 100)
    }
}

@Suite struct ReceiverTopicsTests {
    private let topics = ReceiverTopics(base: "home/espresense")

    @Test(arguments: ["ec0234a357c8ad05341010a60a397d9b", "m31hpKoQEDQFrcj3o0ICsA=="])
    func `a key without its kind is not shown`(key: String) throws {
        let error = #expect(throws: HeardIDError.self) { try HeardID(text: key) }
        #expect(error.map { "\($0)" } == "an identity key must have irk: before it")
    }

    @Test func `topics are read as they are written`() throws {
        let id = try HeardID(text: "phone:anna")
        #expect(topics.report(id, by: "kitchen") == "home/espresense/devices/phone:anna/kitchen")
        #expect(
            topics.message(of: topics.report(id, by: "kitchen"))
                == .report(id: "phone:anna", receiver: "kitchen")
        )
        #expect(topics.message(of: topics.status(of: "kitchen")) == .status(receiver: "kitchen"))
        #expect(topics.message(of: topics.telemetry(of: "kitchen")) == .telemetry(receiver: "kitchen"))
        #expect(topics.message(of: topics.keys) == .keys)
        #expect(
            topics.message(of: "home/espresense/rooms/kitchen/absorption")
                == .setting(receiver: "kitchen", name: "absorption")
        )
    }

    @Test(arguments: [
        "home/espresense", "home/espresense/", "home/espresensex/devices/a/b", "home/espresense/devices/a",
        "home/espresense/devices/a/b/c", "home/espresense/devices//b", "home/espresense/devices/a/",
        "home/espresense/rooms/*/status", "home/espresense/rooms//status", "other/devices/a/b",
        "home/espresense/devices/a/\u{1}",
    ])
    func `another topic is nobody's`(_ topic: String) { #expect(topics.message(of: topic) == nil) }
}
