import Profiles
import SeededRandom
import Testing

/// No file makes the reader trap, and every problem has a place in the file.
struct ProfileFuzzTests {
    /// All that a file can have, and each mistake that is tolerated.
    private static let sample = """
        \u{FEFF}{ // a comment with ß
         "version": 1.0, "name": "N\\u00e4\\ud83d\\ude00", "packages": ["a.b"],
         "devices": [
          {"class": "x.AylaDevice", "oemModel": "m", "ssidRegex": "^A-[0-9]{2,3}$", "icon": "mdi:fan",
           "deviceControl": "thermostat" "detailScreen": "home",
           "managedProperties": [
             {"name": "t", "control": "knob", "roles": ["temperature_setpoint"], "min": -1e1, "max": 35.5},
             {"name": "s", "notify": false, "actions": [{"name": "ä", "value": 0}, {"name": "b", "value": 1},],
             }]},
           "model": "B"},
          ],
         "sdkConfig": {"appSecret": "hush", "serviceType": "Field", "defaultNetworkTimeoutMs": 5000},
         "userExperience": {"signInScreen": "home", "homeScreen": "home",
           "screens": [{"name": "home", "class": "DeviceList", "config": {"layout": "grid"}}],
           "controls": [{"name": "knob", "class": "Slider", "extras": {"step": 0.5, "bgOn": "ink"}}],
           "drawerMenu": ["home"], "defaultConfig": {"fontColor": "ink"},
           "colors": [{"name": "ink", "value": "#123"}]},
         "strings": {"de": {"t": "Wärme"}}
        },
        """

    @Test func `the sample has only what is tolerated`() {
        let reading = ProfileReading(of: [ProfileSource(file: "f", json: Array(Self.sample.utf8))])
        #expect(reading.problems.map(\.code) == [.missingComma, .closedEarly])
    }

    private static func check(_ bytes: [UInt8]) {
        let source = ProfileSource(file: "f", json: bytes)
        let reading = ProfileReading(of: [source])
        let lines = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
        for problem in reading.problems {
            let isInside =
                (1...lines).contains(problem.position.line)
                && (1...bytes.count + 1).contains(problem.position.column)
            #expect(isInside, "\(problem) in \(String(decoding: bytes, as: UTF8.self))")
            #expect(!problem.message.contains("hush"))
        }
        #expect(source.tree != nil || reading.hasErrors)
        guard let form = ProfileForm(source, as: .json) else { return }
        let again = ProfileSource(file: "f", json: Array(form.json.utf8))
        #expect(again.problems.isEmpty, "\(form.json)")
        #expect(again.tree?.json == form.tree.json)
    }

    @Test func `a file may end anywhere`() {
        let bytes = Array(Self.sample.utf8)
        for count in bytes.indices { Self.check(Array(bytes[..<count])) }
    }

    /// What a reader acts on, and what is no text.
    private static let replacements: [UInt8] = Array("\n\"\\/,:[]{}0".utf8) + [0x00, 0x80, 0xC3, 0xFF]

    @Test(arguments: [0, 7])
    func `each byte may be another`(shift: Int) {
        var bytes = Array(Self.sample.utf8)
        for index in bytes.indices {
            let byte = bytes[index]
            bytes[index] = Self.replacements[(index + shift) % Self.replacements.count]
            Self.check(bytes)
            bytes[index] = byte
        }
    }

    @Test func `pieces may be lost, repeated or changed`() {
        var fuzz = Fuzz(seed: 14, corpus: [Self.sample, #"[{"class":"AylaDevice","oemModel":"m"},"x":1}]"#])
        for _ in 0..<Fuzz.count / 20 { Self.check(fuzz.next()) }
    }

    @Test(arguments: ["[", "{\"a\":", "{\"a\":1}", "\"", "/", "{\"a\":{},\"b\":1},", ",", "\\", "{\"a\":1 "])
    func `a mebibyte of one piece is refused`(piece: String) {
        let count = (1 << 20) / piece.utf8.count
        Self.check(Array(String(repeating: piece, count: count).utf8))
    }
}
