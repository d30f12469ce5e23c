import Flare
import JSON
import Profiles
import Testing
import Things

/// What profiles allow rules.
struct ThingKindFlagsTests {
    private static let kind: ThingKind = {
        var open = Kinds.property("on", .switch, actions: [("turn_on", 1), ("turn_off", 0)])
        (open.notifies, open.isScheduled) = (true, true)
        return Kinds.kind([open, Kinds.property("speed", .slider, actions: [("fast", 3)])])
    }()

    @Test(arguments: [("on", true), ("speed", false), ("unknown", true)])
    func `a profile keeps properties from rules unless it says otherwise, and knows no others`(
        property: String,
        isAllowed: Bool
    ) {
        #expect(Self.kind.isNotifiable(property) == isAllowed)
        #expect(Self.kind.isSchedulable(property) == isAllowed)
    }

    @Test(arguments: [("turn_on", "on"), ("speed.fast", "speed"), ("fast", "speed"), ("dance", nil)])
    func `an action sets a property`(action: String, property: String?) {
        let thing = FlareThing(id: FlareID(high: 1, low: 1))
        #expect(Self.kind.property(ofAction: action, of: thing) == property)
    }
}
