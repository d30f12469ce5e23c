import Bindings
import People
import Testing

struct TargetNameTests {
    private static let id = BindingID(high: 0x0123_4567_89AB_CDEF, low: 5)
    private static let text = "th.0123456789abcdef0000000000000005"

    @Test func `an identifier is th. and 32 digits`() {
        #expect(Self.id.description == Self.text)
        #expect(BindingID(Self.text) == Self.id)
        #expect(BindingID(Self.text.replacing("abcdef", with: "ABCDEF")) == Self.id)
        for wrong in [
            "", "th.", String(Self.text.dropLast()), Self.text + "0", Self.text.replacing("th.", with: "TH."),
        ] {
            #expect(BindingID(wrong) == nil)
        }
        #expect(BindingID("th.0123456789abcdeg0000000000000005") == nil)
    }

    @Test(arguments: [
        ("thing:\(text)", TargetName.thing(id)), ("THING:\(text)", .thing(id)),
        ("VENDOR_THING_ID:v-1", .vendor("v-1")),
    ])
    func `a thing has three names`(name: String, target: TargetName) {
        #expect(TargetName(name) == target)
    }

    @Test(arguments: [
        "", text, "thing:", "thing:v-1", "Thing:\(text)", "vendor_thing_id:v-1", "VENDOR_THING_ID:",
        "thing:\u{301}\(text)",
    ])
    func `another name is none`(name: String) {
        #expect(TargetName(name) == nil)
    }
}
