import Controller
import Flare
import JSON
import Messages
import Testing
import Things

/// Messages of Home Assistant's JSON light and palette select, and their results.
struct LightCommandTests {
    private static func thing(_ data: JSONObject) -> FlareThing {
        var thing = FlareThing(id: FlareID(high: 1, low: 1))
        thing.name = "Lamp"
        thing.data = data
        return thing
    }

    private static let lamp: JSONObject = [
        "on": true, "brightness": 0.5, "color": "red", "options": ["red", "Ocean"],
    ]

    private func settled(_ payload: String, on data: JSONObject, attribute: String? = nil)
        -> Result<ThingSetting, Refusal>
    {
        let topic = attribute.map { CommandDescriptor.thingSetAttribute.topic("lamp", $0) }
        switch CommandDecoder().decode(
            topic ?? CommandDescriptor.thingSet.topic("lamp"),
            payload: Array(payload.utf8)
        ).result {
        case .failure(let refusal): return .failure(refusal)
        case .success(let order):
            guard let set = order.base as? SetThing else {
                Issue.record("\(order)")
                return .failure(Refusal(.internalError, ""))
            }
            let thing = Self.thing(data)
            return set.request.settled(on: thing, ThingShape(thing))
        }
    }

    /// A change as it is stored in the data of a plain light.
    private static func stored(_ patch: ThingPatch) -> JSONObject {
        ThingShape(thing([:])).stored(patch, in: [:])
    }

    @Test(
        arguments: [
            (#"{"state":"ON"}"#, ["on": true], ["on": false]),
            (#"{"state":"OFF"}"#, ["on": false], ["on": true]),
            (#"{"state":"ON","brightness":128}"#, ["brightness": 0.502], Self.lamp),
            (#"{"state":"ON","color":{"r":0,"g":128,"b":128}}"#, ["color": "teal"], Self.lamp),
            (
                #"{"state":"ON","color":{"r":1,"g":2,"b":3},"brightness":255}"#,
                ["color": "#010203", "brightness": 1], Self.lamp
            ),
            (#"{"state":"ON","color":{"h":240.0,"s":100.0}}"#, ["color": "blue"], Self.lamp),
            (#"{"state":"ON","color":{"x":0.1355,"y":0.0399}}"#, ["color": "blue"], Self.lamp),
            (#"{"state":"ON","transition":2.5,"brightness":51}"#, ["brightness": 0.2], Self.lamp),
            (#"{"state":"OFF","transition":2}"#, ["on": false], Self.lamp),
            (
                #"{"state":"ON","color_temp":2700}"#, ["color": "#ffa657", "colorTemperature": 2700],
                ["on": true, "color": "red", "colorTemperature": 4000]
            ),
            // ON is not redundant for a light that is off.
            (
                #"{"state":"ON","brightness":51}"#, ["on": true, "brightness": 0.2],
                ["on": false, "brightness": 1]
            ),
            (
                #"{"state":"ON","color":{"r":255,"g":0,"b":0}}"#, ["on": true, "color": "red"],
                ["on": false, "color": "blue"]
            ),
            // Without "on", brightness alone defines whether it is on.
            (#"{"state":"ON","brightness":51}"#, ["brightness": 0.2], ["brightness": 0]),
            (#"{"state":"ON","brightness":51}"#, ["brightness": 0.2], ["brightness": 1]),
            (#"{"state":"OFF"}"#, ["on": false], ["brightness": 1]),
            (#"{"state":"ON","color":{"r":255,"g":0,"b":0}}"#, ["color": "red"], ["color": "blue"]),
        ] as [(String, JSONObject, JSONObject)]
    )
    func `Home Assistant's commands are parsed and ON with a value is one write`(
        payload: String,
        writes: JSONObject,
        data: JSONObject
    ) throws {
        let setting = try settled(payload, on: data).get()
        #expect(Self.stored(setting.patch) == writes)
        let transition = try JSONValue(parsing: payload)["transition"]?.number
        #expect(setting.transition == transition)
        #expect(setting.rejected.isEmpty)
    }

    @Test(
        arguments: [
            (#"{"state":"ON","brightness":256}"#, .outOfRange, "brightness", "0 to 255"),
            (#"{"state":"ON","brightness":-1}"#, .outOfRange, "brightness", "0 to 255"),
            (
                #"{"state":"ON","color":{"r":256,"g":0,"b":0}}"#, .outOfRange, "color",
                "color.r must be 0 to 255"
            ),
            (
                #"{"state":"ON","color":{"r":0,"g":-1,"b":0}}"#, .outOfRange, "color",
                "color.g must be 0 to 255"
            ),
            (#"{"state":"ON","color":{"h":361,"s":50}}"#, .outOfRange, "color", "color.h must be 0 to 360"),
            (#"{"state":"ON","color":{"h":10,"s":101}}"#, .outOfRange, "color", "color.s must be 0 to 100"),
            (#"{"state":"ON","color":{"x":1.1,"y":0.3}}"#, .outOfRange, "color", "color.x must be 0 to 1"),
            (#"{"state":"ON","color":{"x":0.3,"y":-0.1}}"#, .outOfRange, "color", "color.y must be 0 to 1"),
            (#"{"state":"ON","color":{"r":1,"g":2}}"#, .invalidValue, "color", "one colour model"),
            (
                #"{"state":"ON","color":{"r":1,"g":2,"b":3,"w":4}}"#, .invalidValue, "color",
                "one colour model"
            ),
            (
                #"{"state":"ON","color":{"r":"1","g":2,"b":3}}"#, .wrongType, "color",
                "color.r must be a number"
            ),
            (#"{"state":"on fire"}"#, .invalidValue, "state", "ON, OFF, TOGGLE"),
            (#"{"state":"ON","transition":-1}"#, .outOfRange, "transition", "0 to 3600"),
            (#"{"state":"ON","transition":"slow"}"#, .wrongType, "transition", "a number"),
            // From future versions, or not announced.
            (
                #"{"state":"ON","color_temp":300}"#, .unknownAttribute, "color_temp",
                "it has state, brightness"
            ),
            (#"{"state":"ON","effect":"rainbow"}"#, .unknownAttribute, "effect", "it has state, brightness"),
            (#"{"state":"ON","flash":2}"#, .unknownAttribute, "flash", "it has state, brightness"),
            (#"{"state":"ON","white":10}"#, .unknownAttribute, "white", "it has state, brightness"),
        ] as [(String, RefusalCode, String, String)]
    )
    func `invalid commands are refused with what is legal and change nothing`(
        payload: String,
        code: RefusalCode,
        field: String,
        part: String
    ) {
        guard case .failure(let refusal) = settled(payload, on: Self.lamp) else {
            Issue.record("it was accepted")
            return
        }
        #expect(refusal.code == code)
        #expect(refusal.field == field)
        #expect(refusal.message.contains(part), "\(refusal.message)")
    }

    @Test(arguments: [(#""Ocean""#, "Ocean"), ("Ocean", "Ocean"), (#""red""#, "red"), ("255,0,0", "red")])
    func `a colour of the palette keeps its name`(payload: String, stored: String) throws {
        let setting = try settled(payload, on: Self.lamp, attribute: "color").get()
        #expect(setting.patch == ThingPatch(colour: .string(stored)))
    }

    @Test(
        arguments: [
            (["volume": 1], "volume", "12", 12), (["volume": 1], "volume", "-0.5", -0.5),
            (["source": "a"], "source", #""12""#, "12"), (["source": "a"], "source", #""null""#, "null"),
            (["source": "a"], "source", #""""#, ""), (["muted": false], "muted", "ON", true),
            (["muted": true], "muted", "OFF", false),
        ] as [(JSONObject, String, String, JSONValue)]
    )
    func `commands of a number, a text and a switch are parsed`(
        data: JSONObject,
        key: String,
        payload: String,
        stored: JSONValue
    ) throws {
        #expect(
            try settled(payload, on: data, attribute: key).get().patch == ThingPatch(values: [key: stored])
        )
    }
}
