import Testing
import Things

struct CSSColourTests {
    @Test func `there are the 148 names of CSS, and oak and birch`() {
        #expect(CSSColour.names.count == 150)
        #expect(CSSColour.rgb(of: "oak") == CSSColour.rgb(of: "burlywood"))
        #expect(CSSColour.rgb(of: "birch") == CSSColour.rgb(of: "wheat"))
    }

    @Test(arguments: [
        ("rebeccapurple", 0x663399 as UInt32), ("papayawhip", 0xFFEFD5), ("indianred", 0xCD5C5C),
        ("gray", 0x808080),
    ])
    func `a name is a colour and the colour has that name`(name: String, hex: UInt32) {
        #expect(CSSColour.rgb(of: name) == RGBColour(hex: hex))
        #expect(CSSColour.name(of: RGBColour(hex: hex)) == name)
    }

    @Test(arguments: CSSColour.names)
    func `every name's colour has a name of the same colour`(name: String) throws {
        let rgb = try #require(CSSColour.rgb(of: name))
        let told = try #require(CSSColour.name(of: rgb))
        #expect(CSSColour.rgb(of: told) == rgb)
    }

    @Test(arguments: [
        (0x00FFFF as UInt32, "cyan"), (0xFF00FF, "magenta"), (0xA9A9A9, "darkgray"), (0xDEB887, "burlywood"),
    ])
    func `of several names the common one is used`(hex: UInt32, name: String) {
        #expect(CSSColour.name(of: RGBColour(hex: hex)) == name)
    }
}
