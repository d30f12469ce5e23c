import Resolution
import Testing

struct StationSerialTests {
    @Test(
        arguments: [
            ("AA:BB:CC:DD:EE:FF", "aa:bb:cc:dd:ee:ff"), ("aa-bb-cc-dd-ee-ff", "aa:bb:cc:dd:ee:ff"),
            ("aabbccddeeff", "aa:bb:cc:dd:ee:ff"), ("aabb.ccdd.eeff", "aa:bb:cc:dd:ee:ff"),
            ("(187723572702975)", "aa:bb:cc:dd:ee:ff"), ("187723572702975", "aa:bb:cc:dd:ee:ff"),
            (" ( AA BB CC DD EE FF )\n", "aa:bb:cc:dd:ee:ff"), ("(187723572702974)", "aa:bb:cc:dd:ee:fe"),
            ("001122334455", "00:11:22:33:44:55"), ("(001122334455)", "00:00:42:e5:76:f7"),
            ("(0)", "00:00:00:00:00:00"),
            ("No-Body", "nobody"), ("12345", "12345"), ("(12345)", "00:00:00:00:30:39"),
            ("281474976710655", "ff:ff:ff:ff:ff:ff"), ("281474976710656", "281474976710656"),
            ("1234567890123", "01:1f:71:fb:04:cb"), ("99999999999999999999", "99999999999999999999"),
            ("1877-2357-2702-975", "187723572702975"), ("((a))", "(a)"), ("Ünï", "Ünï"),
        ]
    )
    func `a serial is stored in one form, however it is written`(sent: String, stored: String) {
        #expect(StationSerial(sent)?.text == stored)
    }

    @Test(
        arguments: [
            "", " ", "()", "( )", "-:.", "a\u{0}b", "a\tb", "a\u{85}b", String(repeating: "x", count: 65),
            String(repeating: " ", count: 300) + "a",
        ]
    )
    func `what is nothing, too long or has control characters is no serial`(sent: String) {
        #expect(StationSerial(sent) == nil)
    }

    @Test func `the stored form is stored as itself`() {
        for sent in ["AA:BB:CC:DD:EE:FF", "No-Body", "12345", "(001122334455)"] {
            let stored = StationSerial(sent)
            #expect(stored != nil && stored?.text == stored.flatMap { StationSerial($0.text) }?.text)
        }
    }
}
