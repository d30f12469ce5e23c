import Testing

@testable import Web

/// Modules joined into the file that a page asks for.
struct PageScriptsTests {
    private static let modules = [
        "a.js":
            "import { two as deux, one } from \"./b-c.js\";\nexport class A {}\nimport(\"./later.js\");\n",
        "b-c.js":
            "import { d } from \"./d.js\";\nexport const one = 1, rest = d;\nexport async function two() {}\n",
        "d.js": "export const d = 4;\n",
        "later.js":
            "import { d } from \"./d.js\";\nimport { e } from \"./e.js\";\nexport function later() {}\n",
        "e.js": "export const e = 5;\n",
        "old.js": "(function () {}());\n",
    ]

    @Test func `a page's file has its modules, each after what it imports`() throws {
        let text = try #require(PageScripts(Self.modules, entries: ["a.js"]).texts["a.js"])
        #expect(
            text == """
                const $d = (() => {
                const d = 4;

                return { d };
                })();
                const $b_c = (() => {
                const { d } = $d;
                const one = 1, rest = d;
                async function two() {}

                return { one, two };
                })();
                const $a = (() => {
                const { two: deux, one } = $b_c;
                class A {}
                import("./later.js");

                return { A };
                })();
                export { $d, $b_c, $a };

                """
        )
    }

    @Test func `what is loaded later takes from the page's file what that has, and brings the rest`() throws {
        let text = try #require(PageScripts(Self.modules, entries: ["a.js"]).texts["later.js"])
        #expect(text.hasPrefix("import { $d } from \"./a.js\";\nconst $e = "))
        #expect(text.hasSuffix("export const { later } = $later;\n"))
        #expect(!text.contains("const $d ="))
    }

    @Test func `what several pages load later stands alone, and other files stay as they are`() throws {
        var modules = Self.modules
        modules["f.js"] = "import(\"./later.js\");\n"
        let scripts = PageScripts(modules, entries: ["a.js", "f.js"])
        let later = try #require(scripts.texts["later.js"])
        #expect(!later.contains("import {") && later.contains("const $d ="))
        #expect(scripts.texts["a.js"]?.contains("export {") == false)
        #expect(scripts.texts["old.js"] == Self.modules["old.js"])
    }

    @Test func `modules that import each other, or nothing that is there, end all the same`() {
        let modules = [
            "a.js": "import { b } from \"./b.js\";\nimport { x } from \"./x.js\";\n",
            "b.js": "import { a } from \"./a.js\";\nimport(\"./a.js\"); import(\"./",
        ]
        #expect(PageScripts(modules, entries: ["a.js", "none.js"]).texts["a.js"] != nil)
    }
}
