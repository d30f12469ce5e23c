import JSON
import Rules
import Testing

struct RuleSentenceTests {
    /// Rules of every kind, as a person would say them.
    @Test(arguments: [
        (
            #""when":[{"on":"schedule","startTimeEachDay":"23:00:00","endTimeEachDay":"06:00:00"}],"then":[{"set":{"on":false},"target":"thing:desk-lamp"},{"set":{"on":true},"target":"thing:desk-lamp","at":"end"}]"#,
            "At 23:00 every day (until 06:00): desk-lamp goes off, and on at the end."
        ),
        (
            #""when":[{"on":"schedule","startTimeEachDay":"sunrise+00:30:00","daysOfWeek":[7,1]}],"then":[{"set":{"position":100},"target":"thing:blind"}]"#,
            "30 min after sunrise at weekends: blind gets position 100."
        ),
        (
            #""when":[{"on":"schedule","startTimeEachDay":"sunset","endTimeEachDay":"23:30:00","startDate":"2026-12-20","endDate":"2027-01-06"}],"then":[{"set":{"on":true},"target":"thing:table-lamp"}]"#,
            "At sunset every day from 20 December 2026 until 6 January 2027 (until 23:30): table-lamp goes on."
        ),
        (
            #""when":[{"on":"cron","cron":"0 7 * * 1-5"}],"then":[{"notify":["display:all"],"text":"Good morning."}]"#,
            #"At the times of cron "0 7 * * 1-5": all displays get a message."#
        ),
        (
            #""when":[{"on":"enter","zone":"kitchen"}],"if":[{"during":{"startTimeEachDay":"sunset","endTimeEachDay":"23:30:00"}}],"then":[{"set":{"on":true},"target":"zone:kitchen"}]"#,
            "When this device enters kitchen, but only if it is between sunset and 23:30: all lights of kitchen go on."
        ),
        (
            #""when":[{"on":"exit","zone":"kitchen"}],"then":[{"set":{"on":false},"target":"zone:kitchen"},{"set":{"on":false},"target":"zone:study"}]"#,
            "When this device leaves kitchen: all lights of kitchen and all lights of study go off."
        ),
        (
            #""when":[{"on":"near","thing":"desk-lamp"}],"then":[{"set":{"brightness":0.8},"target":"nearby"}]"#,
            "When this device comes near desk-lamp: the thing that is near gets brightness 0.8."
        ),
        (
            #""when":[{"on":"state","thing":"fridge","clause":{"type":"range","field":"temperature","lowerLimit":8},"for":300,"margin":1}],"then":[{"notify":["user:alice"]},{"notify":["user:bob"]}]"#,
            "When fridge's temperature has been at least 8 for 5 min (again only after it was below 7): alice and bob get a message."
        ),
        (
            #""when":[{"on":"device","thing":"panel","event":"on_connection_lost","threshold":600}],"then":[{"notify":["user:alice"],"channels":["email"]}]"#,
            "When panel has been offline for 10 min: alice gets a message by e-mail."
        ),
        (
            #""when":[{"on":"lifecycle","level":"Active"}],"then":[{"action":"on","target":"thing:desk-lamp"}]"#,
            "When the lifecycle level becomes Active: desk-lamp goes on."
        ),
        (
            #""when":[{"on":"state","thing":"desk-lamp","clause":{"type":"eq","field":"on","value":true}}],"then":[{"publish":{"a":1}}]"#,
            "When desk-lamp is on: a message is published on its topic."
        ),
        (
            #""when":[{"on":"state","thing":"desk-lamp","clause":{"type":"eq","field":"on","value":true}},{"on":"schedule","startTimeEachDay":"08:00:00","daysOfWeek":[2,3,4,5,6]}],"if":[{"thing":"fan","clause":{"type":"eq","field":"on","value":false}},{"zone":["kitchen","hall"]}],"pause":60,"then":[{"set":{"on":true,"speed":2},"target":"thing:fan"},{"action":"fan_high","target":"thing:fan"}]"#,
            #"When desk-lamp is on, or at 08:00 on weekdays, but only if fan is off and this device is in kitchen or hall, at most once in 1 min: fan goes on and gets speed 2, and fan does "fan_high"."#
        ),
        (
            #""when":[{"on":"once","at":"2027-03-29T08:00:00+02:00"}],"then":[{"set":{"state":"TOGGLE"},"target":"thing:lamp"}]"#,
            "On 29 March 2027 at 06:00 UTC: lamp goes on if off, and off if on."
        ),
        (
            #""when":[{"on":"schedule","startTimeEachDay":"08:00:00","endTimeEachDay":"18:00:00","interval":7200,"duration":600}],"then":[{"set":{"on":true},"target":"thing:pump"},{"set":{"on":false},"target":"thing:pump","at":"end"}]"#,
            "Every 2 h from 08:00 until 18:00 (for 10 min each time): pump goes on, and off at the end."
        ),
        (
            #""when":[{"on":"schedule","startTimeEachDay":"20:00:00","daysOfWeek":[6],"dayOccurOfMonth":[6]}],"then":[{"set":{"on":true,"color":"red"},"target":"thing:lamp"},{"ceiling":"LIMITED"}]"#,
            #"At 20:00 on the last Friday of the month: lamp goes on and gets color "red", and the lifecycle level stays at Limited or below."#
        ),
        (
            #""when":[{"on":"enter","beacon":"id1: 0x2f234454cf6d4a0fadf2","rssi":-65,"gone":10}],"then":[{"action":"blink","target":"zone:hall"}]"#,
            #"When this device enters the range of beacon id1: 0x2F234454CF6D4A0FADF2 (-65 dBm or stronger, left after 10 s without it): all lights of hall do "blink"."#
        ),
        (
            #""when":[{"on":"exit","geofence":{"latitude":52.5,"longitude":13,"radius":100}}],"then":[{"command":{"actions":[{"a":1},{"b":2}]},"target":"thing:fan"}]"#,
            #"When this device leaves the circle of 100 m around 52.5, 13: fan gets the commands "a" and "b"."#
        ),
        (
            #""when":[{"on":"state","thing":"meter","field":"energy","edge":"CONDITION_TRUE"},{"on":"state","thing":"lamp","field":"on"}],"then":[{"publish":1}]"#,
            "Each time meter reports energy, or when lamp goes on or off: a message is published on its topic."
        ),
        (
            #""when":[{"on":"far","thing":"a"}],"if":[{"near":["b","c"]},{"level":["Active","limited"]}],"then":[{"ceiling":null}]"#,
            "When this device moves away from a, but only if this device is near b or c and the lifecycle level is Active or Limited: its limit on the lifecycle level ends."
        ),
        (
            #""when":[{"on":"schedule","startTimeEachDay":"08:00:00","endTimeEachDay":"09:00:00"}],"then":[{"set":{"on":true},"target":"thing:a"},{"publish":1,"at":"range"},{"notify":["contact:7"],"at":"end"}]"#,
            "At 08:00 every day (until 09:00): a goes on, a message is published on its topic at the start or later, and contact 7 gets a message at the end."
        ),
    ])
    func `a rule is a plain sentence`(members: String, sentence: String) throws {
        #expect(try RuleExamples.read("{\(members)}").rule.sentence == sentence)
    }

    @Test func `the example of the contract is a sentence`() throws {
        let rule = try RuleExamples.read(RuleExamples.tooWarm).rule
        #expect(
            rule.sentence
                == #"When radiator's room_temp is at least 30, but only if it is between 08:00 and 20:00: fan does "fan_high", and alice gets a message."#
        )
    }

    @Test(arguments: [
        (
            #"{"on":"state","thing":"a","clause":{"type":"eq","field":"f","value":"x"}}"#,
            #"When a's f is "x""#
        ),
        (
            #"{"on":"state","thing":"a","clause":{"type":"not","clause":{"type":"eq","field":"f","value":true}},"edge":"CONDITION_TRUE"}"#,
            "Each time a reports and its f is not true"
        ),
        (
            #"{"on":"state","thing":"a","clause":{"type":"eq","field":"on","value":false},"for":60}"#,
            "When a has been off for 1 min"
        ),
        (
            #"{"on":"state","thing":"a","clause":{"type":"not","clause":{"type":"eq","field":"on","value":true}}}"#,
            "When a is not on"
        ),
        (
            #"{"on":"state","thing":"a","clause":{"type":"range","field":"f","lowerLimit":1,"upperLimit":2},"for":300}"#,
            "When a's f has been between 1 and 2 for 5 min"
        ),
        (
            #"{"on":"state","thing":"a","clause":{"type":"range","field":"f","lowerLimit":1,"lowerIncluded":false,"upperLimit":2},"margin":0.1}"#,
            "When a's f is above 1 and at most 2 (again only after it was at most 0.9 or above 2.1)"
        ),
        (
            #"{"on":"state","thing":"a","clause":{"type":"range","field":"f","upperLimit":2,"upperIncluded":false},"margin":1,"edge":"CONDITION_CHANGED"}"#,
            "When a's f is below 2 (until it is at least 3) or no longer is"
        ),
        (
            #"{"on":"state","thing":"a","clause":{"type":"or","clauses":[{"type":"eq","field":"f","value":1},{"type":"and","clauses":[{"type":"eq","field":"g","value":2},{"type":"range","field":"h","upperLimit":3,"upperIncluded":false}]}]},"edge":"CONDITION_CHANGED"}"#,
            "When a's f is 1 or (a's g is 2 and a's h is below 3), or this is no longer so"
        ),
        (#"{"on":"state","thing":"a","field":"f"}"#, "When a's f changes"),
        (#"{"on":"state","thing":"a","field":"f","edge":"CONDITION_TRUE"}"#, "Each time a reports f"),
        (
            #"{"on":"schedule","startTimeEachDay":"08:00:00","endTimeEachDay":"sunset","daysOfWeek":[1,4],"missed":"run"}"#,
            "At 08:00 on Wednesday and Sunday (until sunset), or later if that was missed"
        ),
        (
            #"{"on":"schedule","startTimeEachDay":"08:00:30","duration":3600,"interval":7200,"daysOfMonth":[1,22,32],"monthsOfYear":[12]}"#,
            "Every 2 h from 08:00:30 until midnight on the 1st, the 22nd and the last day of December (for 1 h each time)"
        ),
        (
            #"{"on":"schedule","startTimeEachDay":"08:00:00","duration":3600,"endTimeEachDay":"08:30:00","monthsOfYear":[1,2],"utc":true}"#,
            "At 08:00 every day in January and February (for 1 h, until 08:30 at the latest, UTC)"
        ),
        (
            #"{"on":"schedule","startTimeEachDay":"08:00:00","daysOfWeek":[6],"daysOfMonth":[13],"timeZone":"Asia/Tokyo"}"#,
            "At 08:00 on Friday, if that is the 13th of the month (Asia/Tokyo)"
        ),
        (
            #"{"on":"schedule","startTimeEachDay":"08:00:00","daysOfWeek":[2],"dayOccurOfMonth":[1,3],"monthsOfYear":[5],"startDate":"2027-01-01"}"#,
            "At 08:00 on the first and third Monday of May from 1 January 2027 on"
        ),
        (
            #"{"on":"schedule","startTimeEachDay":"08:00:00","dayOccurOfMonth":[1],"endDate":"2027-01-31"}"#,
            "At 08:00 in the first week of the month until 31 January 2027"
        ),
        (
            #"{"on":"schedule","startTimeEachDay":"08:00:00","startDate":"2027-01-31","endDate":"2027-01-31"}"#,
            "At 08:00 on 31 January 2027"
        ),
        (
            #"{"on":"schedule","timeBeforeEnd":"00:10:00","endTimeEachDay":"20:00:00"}"#,
            "10 min before 20:00 every day"
        ),
        (
            #"{"on":"cron","cron":"0 7 * * 1-5","timeZone":"Asia/Tokyo"}"#,
            #"At the times of cron "0 7 * * 1-5" (Asia/Tokyo)"#
        ),
        (
            #"{"on":"once","at":0,"missed":"skip"}"#,
            "On 1 January 1970 at 00:00 UTC, but not later if that was missed"
        ),
        (
            #"{"on":"lifecycle","call":"applicationDidConnect"}"#,
            "When the lifecycle calls applicationDidConnect"
        ),
        (#"{"on":"device","thing":"a","event":"on_connect"}"#, "When a connects"),
        (#"{"on":"device","thing":"a","event":"ip_change"}"#, "When a gets another address"),
        (#"{"on":"device","thing":"a","event":"on_connection_lost"}"#, "When a has been offline for 5 min"),
        (
            #"{"on":"device","thing":"a","event":"on_connection_restore","threshold":86400}"#,
            "When a has been online again for 1 day"
        ),
    ])
    func `a trigger in words`(text: String, words: String) throws {
        let rule = try RuleExamples.read(RuleExamples.when(text)).rule
        #expect(rule.sentence == "\(words): a message is published on its topic.")
    }

    @Test(arguments: [
        (#"{"thing":"b","clause":{"type":"eq","field":"f","value":1}}"#, "b's f is 1"),
        (
            #"{"during":{"startTimeEachDay":"22:00:00","endTimeEachDay":"06:00:00","daysOfWeek":[1,7]}}"#,
            "it is between 22:00 and 06:00 at weekends"
        ),
        (
            #"{"during":{"startTimeEachDay":"22:00:00","duration":1800}}"#,
            "it is between 22:00 and 30 min later"
        ),
        (
            #"{"during":{"startTimeEachDay":"22:00:00","duration":60,"interval":3600}}"#,
            "it is in the first 1 min of every 1 h from 22:00 until midnight"
        ),
        (#"{"level":["Active","limited"]}"#, "the lifecycle level is Active or Limited"),
        (#"{"zone":["z"]}"#, "this device is in z"),
        (#"{"near":["x","y","w"]}"#, "this device is near x, y or w"),
    ])
    func `a condition in words`(text: String, words: String) throws {
        let rule = try RuleExamples.read(RuleExamples.if(text)).rule
        #expect(
            rule.sentence
                == "When this device comes near a, but only if \(words): a message is published on its topic."
        )
    }

    @Test func `alternatives among several conditions are in brackets`() throws {
        let rule = try RuleExamples.read(
            #"""
            {"when":[{"on":"near","thing":"a"}],"if":[{"zone":["z"]},{"thing":"b","clause":{"type":"or","clauses":[
              {"type":"eq","field":"f","value":1},{"type":"eq","field":"g","value":2}]}}],"then":[{"publish":1}]}
            """#
        ).rule
        #expect(rule.sentence.contains("but only if this device is in z and (b's f is 1 or b's g is 2): "))
    }

    @Test(arguments: [
        (#"{"set":{"on":false,"level":0.5},"target":"thing:lamp"}"#, "lamp goes off and gets level 0.5"),
        (#"{"set":{"state":"OFF"},"target":"zone:hall"}"#, "all lights of hall go off"),
        (#"{"action":"blink","target":"nearby"}"#, #"the thing that is near does "blink""#),
        (#"{"command":{"actions":[{"a":1}]},"target":"thing:fan"}"#, #"fan gets the command "a""#),
        (
            #"{"notify":["user:a","contact:7","display:all"],"channels":["sms","email"]}"#,
            "a, contact 7 and all displays get a message by SMS and e-mail"
        ),
        (#"{"notify":[{"email":"a@b.c"}]}"#, "a@b.c gets a message"),
    ])
    func `an action in words`(text: String, words: String) throws {
        let rule = try RuleExamples.read(RuleExamples.then(text)).rule
        #expect(rule.sentence == "When this device comes near a: \(words).")
    }

    @Test func `what several things do alike is said once, and what differs is not`() throws {
        let rule = try RuleExamples.read(
            #"""
            {"when":[{"on":"schedule","startTimeEachDay":"08:00:00","endTimeEachDay":"09:00:00"}],
             "then":[{"set":{"on":true},"target":"thing:a"},{"set":{"on":true},"target":"thing:b"},
              {"set":{"on":false},"target":"thing:a","at":"end"},{"notify":["user:x"],"text":"1"},
              {"notify":["user:y"],"text":"2"}]}
            """#
        ).rule
        #expect(
            rule.sentence
                == "At 08:00 every day (until 09:00): a and b go on, a goes off at the end, x gets a message, and y gets a message."
        )
    }

    @Test func `harmful names are shown escaped`() throws {
        let rule = try RuleExamples.read(
            RuleExamples.when(
                #"{"on":"state","thing":"a","clause":{"type":"eq","field":"f","value":"x\u202e\n"}}"#
            )
        ).rule
        #expect(!rule.sentence.contains("\u{202E}"))
        #expect(!rule.sentence.contains("\n"))
    }
}
