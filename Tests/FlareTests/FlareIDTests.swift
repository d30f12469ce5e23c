import Flare
import Testing

struct FlareIDTests {
    @Test func `an identifier is read from 24 hexadecimal digits of either case and written in lower case`() {
        #expect(FlareID("0123456789abcdefABCDEF42")?.description == "0123456789abcdefabcdef42")
    }

    @Test(arguments: [
        "", "abc", "0123456789abcdefabcdef4", "0123456789abcdefabcdef4g", "0123456789abcdefabcdef423",
    ])
    func `any other text is no identifier`(text: String) {
        #expect(FlareID(text) == nil)
    }
}
