import Flare
import JSON
import Testing
import Text

struct BlankTextTests {
    @Test(arguments: ["", " ", "\u{A0}\t\n", "\u{200B}\u{3000}"])
    func `a name without anything to read is no name`(_ name: String) {
        #expect(name.isBlank)
        #expect(FlareZone(json: ["_id": "54726c617400000000000111", "name": .string(name)])?.name == "")
    }

    @Test(arguments: ["a", " a ", "0", "\u{1F6CB}"])
    func `anything that can be read is a name`(_ name: String) {
        #expect(!name.isBlank)
        #expect(FlareThing(json: ["_id": "54726c617400000000000111", "name": .string(name)])?.name == name)
    }
}
