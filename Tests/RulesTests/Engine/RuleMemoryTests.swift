import JSON
import Rules
import SeededRandom
import Testing

struct RuleMemoryTests {
    @Test func `what is remembered is read as it was written`() throws {
        var rig = EngineRig()
        try rig.write("a", ["t": 1])
        try rig.add(
            1,
            #"""
            {"when":[{"on":"state","thing":"a","clause":{"type":"eq","field":"t","value":1}},
              {"on":"cron","cron":"* * * * *"}]}
            """#
        )
        rig.wait(90)
        let memory = try #require(rig.engine.memory(of: 1))
        #expect(RuleMemory(memory.json) == memory)
        #expect(
            memory.json.description
                == #"{"fired":1780272060000,"times":{"1":{"handled":1780272060000,"last":1780272060000}},"#
                + #""truths":{"0":"true"}}"#
        )
    }

    @Test func `what is damaged is not remembered, and does no harm`() throws {
        var rig = EngineRig()
        let rule = try rig.rule(
            #"""
            {"when":{"on":"schedule","startTimeEachDay":"08:00:00","endTimeEachDay":"10:00:00"},
             "then":[{"publish":1},{"publish":2,"at":"end"}]}
            """#
        )
        let text =
            #"{"fired":1780272060000,"times":{"0":{"handled":1780272060000,"last":1780272060000,"#
            + #""ranged":1,"run":{"start":1,"end":253402300799999,"begun":true,"fired":true}}},"#
            + #""truths":{"0":"true","9":"false"}}"#
        var fuzz = Fuzz(seed: 3, corpus: [text, #"{"times":{"0":{"handled":-62135596800000}}}"#])
        for _ in 0..<2_000 {
            let bytes = String(decoding: fuzz.next(), as: UTF8.self)
            guard let json = try? JSONValue(parsing: bytes).object else { continue }
            rig.handle(.started([RuleEntry(1, rule)], memories: [1: RuleMemory(json)]))
            #expect(rig.engine.count == 1)
        }
    }
}
