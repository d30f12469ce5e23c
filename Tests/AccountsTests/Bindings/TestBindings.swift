import Accounts
import AccountsFixture
import Bindings
import Flare
import JSON
import People

extension ThingBinding {
    /// The binding of a number, by nobody yet.
    static func meter(_ number: UInt64) -> ThingBinding {
        ThingBinding(BindingID(high: 7, low: number), vendor: "v-\(number)", password: "hash", made: 10)
    }

    /// One with something in every member.
    static func full(_ number: UInt64) -> ThingBinding {
        var binding = ThingBinding(
            BindingID(high: 8, low: number),
            vendor: "full-\(number)",
            password: "another hash",
            properties: ["name": "Zähler", "settable": ["on"], "size": 21.5],
            made: 20
        )
        (binding.type, binding.firmware, binding.layout) = ("meter", "1.0 β", .endNode)
        (binding.interval, binding.fixed, binding.isOwned) = (.quarterHour, [.type, .interval], true)
        (binding.gateway, binding.thing, binding.isMade) = (
            BindingID(high: 8, low: 99), TestAccounts.lamp, true
        )
        (binding.route, binding.state, binding.seen) = (
            .edge, ["temperature": 21.5, "list": [1, .null]], 30
        )
        binding.wish = PlaceWish(thing: "meter", zone: "Küche")
        return binding
    }
}

extension AccountsStore {
    /// Adds bindings, and returns their identifiers.
    @discardableResult
    func addMeters(_ numbers: ClosedRange<UInt64>) throws -> [BindingID] {
        try numbers.map { number in
            try saveBinding(.meter(number))
            return ThingBinding.meter(number).id
        }
    }
}
