import JSON
import Rules
import Testing

struct RuleOriginalTests {
    @Test func `passwords and tokens are not kept`() throws {
        let json = try JSONValue(
            parsing: #"""
                {"when":1,"password":"a","nested":{"thingPassword":"b","Authorization":"c","access_token":"d","keep":"e",
                 "list":[{"executorAccessToken":"f","registration_id":"g","name":"push_ios","param1":"h","param3":"i"},
                 {"name":"email","param1":"a@b.c"}]},"text":"with tlu_abcdefghijklmnop in it"}
                """#
        )
        let kept = try JSONValue(
            parsing: #"""
                {"when":1,"nested":{"keep":"e","list":[{"name":"push_ios","param3":"i"},{"name":"email","param1":"a@b.c"}]},
                 "text":"with *** in it"}
                """#
        )
        #expect(RuleOriginal.stripped(json) == kept)
    }

    @Test func `what has no secret is kept as it is`() throws {
        for text in RuleExamples.all.prefix(4) {
            let json = try JSONValue(parsing: text)
            #expect(RuleOriginal.stripped(json) == json)
        }
    }
}

struct RuleSlugTests {
    @Test(arguments: [
        ("Too warm!", "too-warm"), ("Größer als 30 °C", "grosser-als-30-c"), ("日本", "rule"),
        ("42", "rule-42"),
        ("4 2", "4-2"),
    ])
    func `a slug is made from the title`(title: String, slug: String) {
        #expect(RuleSlug.slug(from: title) { _ in false } == slug)
    }

    @Test func `a slug that is taken gets a number`() {
        let taken: Set = ["too-warm", "too-warm-2"]
        #expect(RuleSlug.slug(from: "Too warm", isTaken: taken.contains) == "too-warm-3")
    }
}
