import SeededRandom
import Testing
import Text

struct Base64Tests {
    /// - Source: RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"), (">>>???", "Pj4+Pz8/"),
    ])
    func `the examples of the standard are written and read`(text: String, base64: String) {
        #expect(String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self) == base64)
        #expect(Base64.decode(base64.utf8) == Array(text.utf8))
        let bare = base64.filter { $0 != "=" }
        #expect(Base64.decode(bare.utf8) == Array(text.utf8))
        #expect(Base64.decodeCanonical(bare.utf8, .standard) == Array(text.utf8))
    }

    @Test func `the alphabet for addresses has neither plus nor slash`() {
        let bytes = Array(">>>???".utf8)
        #expect(String(decoding: Base64.encode(bytes, .url), as: UTF8.self) == "Pj4-Pz8_")
        #expect(Base64.decode("Pj4-Pz8_".utf8, .url) == bytes)
        #expect(Base64.decode("Pj4+Pz8/".utf8, .url) == nil && Base64.decode("Pj4-Pz8_".utf8) == nil)
    }

    @Test(arguments: ["Zg==", "Zh", "Zm9=", "A", "Z g", "é"])
    func `a text that is not the one for its bytes is not canonical`(text: String) {
        #expect(Base64.decodeCanonical(text.utf8, .standard) == nil)
    }

    @Test(arguments: 0..<100)
    func `any bytes come back`(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let bytes = random.bytes(upTo: seed)
        for alphabet in [Base64.Alphabet.standard, .url] {
            #expect(Base64.decode(Base64.encode(bytes, alphabet), alphabet) == bytes)
            let bare = Base64.encode(bytes, alphabet, isPadded: false)
            #expect(Base64.decodeCanonical(bare, alphabet) == bytes)
        }
    }
}
