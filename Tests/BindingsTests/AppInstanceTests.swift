import Bindings
import People
import Testing
import Things

struct AppInstanceTests {
    private static let thing = BindingID(high: 0, low: 1)
    private static let instance = AppInstance(realm: "app", site: .europe)

    @Test func `an instance takes one thing`() throws {
        #expect(throws: BindingsError.self) { try Self.instance.onboardedThing.get() }
        let onboarded = try Self.instance.onboarded(Self.thing, owner: nil).get()
        #expect(try onboarded.onboardedThing.get() == Self.thing)
        guard case .failure(let error) = onboarded.onboarded(Self.thing, owner: nil) else {
            Issue.record("it was taken twice")
            return
        }
        #expect(error.code == "already_onboarded")
    }

    @Test func `an instance of another app, another site or a newer program is of no use`() {
        #expect(Self.instance.problem(realm: "app", site: .europe) == nil)
        #expect(Self.instance.problem(realm: "other", site: .europe)?.contains("is of app \"app\"") == true)
        #expect(Self.instance.problem(realm: "app", site: .japan)?.contains("is of site EU") == true)
        let newer = AppInstance(realm: "app", site: .europe, format: AppInstance.currentFormat + 1)
        #expect(newer.problem(realm: "app", site: .europe)?.contains("newer format") == true)
    }

    @Test(arguments: [
        ("", true), ("hall-1", true), (String(repeating: "a", count: 64), true),
        (String(repeating: "a", count: 65), false), ("a b", false), ("ä", false),
    ])
    func `a tag has characters that need no quotes`(tag: String, isLegal: Bool) {
        #expect(((try? AppInstance.check(tag: tag)) != nil) == isLegal)
    }
}
