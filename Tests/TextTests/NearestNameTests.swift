import Testing
import Text

struct NearestNameTests {
    private static let names = ["brightness", "color", "state", "tx", "level"]

    @Test(arguments: [
        ("colour", "color"), ("Color", "color"), ("brigthness", "brightness"), ("stat", "state"),
        ("xt", "tx"),
        ("levle", "level"),
    ])
    func `a misspelt name finds the intended one`(name: String, meant: String) {
        #expect(NearestName.to(name, among: Self.names) == meant)
    }

    @Test(arguments: ["", "warmth", "c", String(repeating: "brightness", count: 10_000)])
    func `a name that resembles none finds none`(name: String) {
        #expect(NearestName.to(name, among: Self.names) == nil)
        #expect(NearestName.hint(for: name, among: Self.names).isEmpty)
    }

    @Test func `of equally near names the first is suggested`() {
        #expect(NearestName.to("bat", among: ["cat", "hat"]) == "cat")
    }
}
