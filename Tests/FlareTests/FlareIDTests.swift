import Flare
import Testing

struct FlareIDTests {
    @Test func `an identifier is read from 24 hexadecimal digits of either case and written in lower case`() {
        #expect(FlareID("0123456789abcdefABCDEF42")?.description == "0123456789abcdefabcdef42")
    }

    @Test func `identifiers that follow each other are found in a set`() {
        let ids =
            (0..<10_000).map { FlareID(high: 7, low: $0) } + (0..<10_000).map { FlareID(high: $0, low: 7) }
        #expect(Set(ids).count == ids.count - 1)
        #expect(ids.allSatisfy(Set(ids).contains))
        #expect(Set(ids.map { $0._rawHashValue(seed: 1) & 0xFFFF }).count > 10_000)
    }

    @Test(arguments: [
        "", "abc", "0123456789abcdefabcdef4", "0123456789abcdefabcdef4g", "0123456789abcdefabcdef423",
    ])
    func `any other text is no identifier`(text: String) {
        #expect(FlareID(text) == nil)
    }
}
