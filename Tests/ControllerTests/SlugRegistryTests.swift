import Controller
import Flare
import Testing

@Suite struct SlugRegistryTests {
    @Test(arguments: [
        ("Lamp", "lamp"), ("Große Stehlampe", "grosse-stehlampe"), ("Küche / Bad", "kuche-bad"),
        ("  --Café №5--  ", "cafe-5"), ("ÆØÅ", "aeoa"), ("Ku\u{308}che", "kuche"), ("İzmir", "izmir"),
        ("x\u{304}y", "xy"), ("A\r\nB", "a-b"), ("1️⃣", "thing"), ("💡💡", "thing"), ("", "thing"),
        ("日本", "thing"),
        ("a+/#b", "a-b"), (String(repeating: "a", count: 60), String(repeating: "a", count: 48)),
        (String(repeating: "ß", count: 40), String(repeating: "s", count: 48)),
        (String(repeating: "a", count: 47) + " b", String(repeating: "a", count: 47)),
    ])
    func `a name is converted to letters, digits and hyphens`(name: String, slug: String) {
        var book = SlugRegistry()
        #expect(book.assign(to: ObjectReference(.thing, House.lamp), name: name) == slug)
        #expect(book[.thing, House.lamp] == slug)
        #expect(book.id(of: slug, kind: .thing) == House.lamp)
    }

    @Test func `a rename keeps the slug`() {
        var book = SlugRegistry()
        #expect(book.assign(to: House.lampThing, name: "Lamp") == "lamp")
        #expect(book.assign(to: House.lampThing, name: "Other") == nil)
        #expect(book[.thing, House.lamp] == "lamp")
        #expect(book.id(of: "other", kind: .thing) == nil)
    }

    @Test func `equal names are numbered within their class`() {
        var book = SlugRegistry()
        #expect(book.assign(to: ObjectReference(.zone, House.kitchen), name: "Lamp") == "lamp")
        #expect(book.assign(to: House.lampThing, name: "Lamp") == "lamp")
        #expect(book.assign(to: House.floorLampThing, name: "lamp!") == "lamp-2")
        #expect(book.assign(to: ObjectReference(.thing, House.kettle), name: "Lamp 2") == "lamp-2-2")
        #expect(book.assign(to: ObjectReference(.thing, House.screen), name: "LAMP") == "lamp-3")
    }

    @Test func `a slug restored from an earlier run is not assigned again`() {
        var book = SlugRegistry()
        book.restore("lamp", for: House.floorLampThing)
        book.restore("lamp", for: House.lampThing)
        #expect(book[.thing, House.lamp] == nil)
        #expect(book.assign(to: House.lampThing, name: "Lamp") == "lamp-2")
        #expect(book[.thing, House.floorLamp] == "lamp")
    }

    @Test func `objects of two classes may have the same identifier`() {
        var book = SlugRegistry()
        #expect(book.assign(to: ObjectReference(.zone, House.lamp), name: "Corner") == "corner")
        #expect(book.assign(to: House.lampThing, name: "Lamp") == "lamp")
        #expect(book[.zone, House.lamp] == "corner")
        book.forget(House.lampThing)
        #expect(book[.zone, House.lamp] == "corner")
        #expect(book[.thing, House.lamp] == nil)
    }

    @Test func `a new object gets the first free slug among those of removed objects`() {
        var book = SlugRegistry()
        for (object, name) in [(House.lampThing, "lamp"), (House.floorLampThing, "lamp-2")] {
            book.restore(name, for: object, home: House.home)
        }
        let new = (0..<3).map { ObjectReference(.thing, House.id(900 + $0)) }
        #expect(book.assign(to: new[0], name: "Lamp", gone: [House.floorLamp]) == "lamp-2")
        #expect(book.assign(to: new[1], name: "Lamp", gone: [House.lamp]) == "lamp")
        #expect(book[.thing, House.lamp] == nil)
        #expect(book.id(of: "lamp", kind: .thing) == new[1].id)
        #expect(book.assign(to: new[2], name: "Lamp", gone: [House.lamp, House.floorLamp]) == "lamp-3")
    }

    @Test func `an object's environment is recorded, and the slug returned when it is new`() {
        var book = SlugRegistry()
        book.restore("sun", for: House.lampThing)
        #expect(book.assign(to: House.lampThing, name: "Lamp", home: House.home) == "sun")
        #expect(book.assign(to: House.lampThing, name: "Lamp", home: House.home) == nil)
        #expect(book.home(of: House.lampThing) == House.home)
    }

    @Test func `an environment never gets a slug that is a command word`() {
        var book = SlugRegistry()
        #expect(book.assign(to: ObjectReference(.environment, House.home), name: "Next") == "next-2")
        #expect(
            book.assign(to: ObjectReference(.environment, House.office), name: "Previous") == "previous-2"
        )
        #expect(book.assign(to: House.lampThing, name: "Next") == "next")
    }

    @Test(.timeLimit(.minutes(1))) func `ten thousand equal names get distinct slugs in linear time`() {
        var book = SlugRegistry()
        var slugs: Set<String> = []
        for number in 0..<10_000 {
            let object = ObjectReference(.thing, House.id(UInt32(number)))
            if let slug = book.assign(to: object, name: "Lamp") { slugs.insert(slug) }
        }
        #expect(slugs.count == 10_000)
        #expect(slugs.contains("lamp-10000"))
    }
}
