import Rules
import SeededRandom
import Testing

struct BeaconNameTests {
    private static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

    @Test(arguments: [
        ("id1: f7826da6-4fa2-4e98-8024-bc5b71e0893e id2: 1 id3: 65535", "id1: \(uuid) id2: 1 id3: 65535"),
        ("id1:f7826da64fa24e988024bc5b71e0893e id2:1 id3:2", "id1: \(uuid) id2: 1 id3: 2"),
        ("ID1: \(uuid), ID2: 0, ID3: 0", "id1: \(uuid) id2: 0 id3: 0"),
        ("id1: \(uuid)", "id1: \(uuid)"),
        (
            "id1: 0x2f234454cf6d4a0fadf2 id2: 0x000012349876",
            "id1: 0x2F234454CF6D4A0FADF2 id2: 0x000012349876"
        ),
        ("id1: 2f234454cf6d4a0fadf2", "id1: 0x2F234454CF6D4A0FADF2"),
    ])
    func `a text names a beacon`(text: String, canonical: String) {
        #expect(BeaconName(text)?.text == canonical)
        #expect(BeaconName(canonical) == BeaconName(text))
    }

    @Test(arguments: [
        "", "id1:", "id2: 1", uuid, "id1: \(uuid) id2: 1", "id1: \(uuid) id2: 65536 id3: 1",
        "id1: \(uuid) id2: -1 id3: 1", "id1: \(uuid) id3: 1 id2: 1", "id1: \(uuid) id2: 1 id3: 1 id4: 1",
        "id1: 0x2f234454cf6d4a0fadf2 id2: 0xf4911ba9ff", "id1: 0x2f234454cf6d4a0fadf2 id2: 1 id3: 2",
        "id1: \(uuid)0 id2: 1 id3: 1", "id1: \(uuid) id2: 1 id3:",
        // No beacon is heard with such instances.
        "id1: 0x2f234454cf6d4a0fadf2 id2: 0x000112349876", "id1: 0x2f234454cf6d4a0fadf2 id2: 0x00001234987a",
    ])
    func `another text names none`(text: String) {
        #expect(BeaconName(text) == nil)
    }

    @Test func `any bytes are read or refused`() {
        var fuzz = Fuzz(
            seed: 1,
            corpus: ["id1: \(Self.uuid) id2: 1 id3: 2", "id1: 0x2f234454cf6d4a0fadf2 id2: 0x000012349876"]
        )
        for _ in 0..<Fuzz.count / 4 {
            let name = BeaconName(String(decoding: fuzz.next(), as: UTF8.self))
            if let name { #expect(BeaconName(name.text) == name) }
        }
    }
}
