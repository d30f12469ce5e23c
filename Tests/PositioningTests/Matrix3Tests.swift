import Positioning
import Testing

struct Matrix3Tests {
    @Test func `every form of a kernel mount matrix is parsed`() throws {
        let expected = Matrix3(Vector3(0, -1, 0), Vector3(1, 0, 0), Vector3(0, 0, 1))
        for text in [
            "0, -1, 0; 1, 0, 0; 0, 0, 1", "0,-1,0;1,0,0;0,0,1\n", " 0.0 , -1.00,0 ;1,0,0; 0 , 0 , 1.000000 ",
        ] { #expect(Matrix3(text) == expected) }
        #expect(Matrix3(expected.description) == expected)
        #expect(Matrix3("0.866, 0.5, 0; -0.5, 0.866, 0; 0, 0, -1") != nil)
    }

    @Test(arguments: [
        "", "1", "1, 0, 0; 0, 1, 0", "1, 0, 0; 0, 1, 0; 0, 0, 1;", "1, 0; 0, 1, 0; 0, 0, 1",
        "1, 0, 0; 0, 1, 0; 0, 0, nan", "1, 0, 0; 0, 1, 0; 0, 0, inf", "1, 0, 0; 0, 1, 0; 0, 0, 0x1",
        "1, 0, 0; 1, 0, 0; 0, 0, 1", "0, 0, 0; 0, 0, 0; 0, 0, 0", "1e300, 0, 0; 0, 1e300, 0; 0, 0, 1e300",
    ]) func `any other text is no matrix`(_ text: String) { #expect(Matrix3(text) == nil) }

    @Test func `only plain decimal numbers are parsed`() {
        #expect(DecimalText.number("-12\n") == -12)
        #expect(DecimalText.number(" 0.000598 \n") == 0.000598)
        #expect(DecimalText.number("+1.5e-3") == 0.0015)
        for text in ["", " ", "nan", "inf", "0x10", "1 2", "1e999", "--1", "1.2.3", "e"] {
            #expect(DecimalText.number(text) == nil, "\(text)")
        }
        #expect(DecimalText.number(String(repeating: "1", count: 41)) == nil)
    }

    @Test func `arbitrary text never traps`() {
        var generator = SeededGenerator(seed: 6)
        let alphabet = Array("0123456789+-.,; eEnaif\n\t\0x\u{0301}💡")
        var matrices = 0
        for _ in 0..<20_000 {
            var text = "0, -1, 0; 1, 0, 0; 0, 0, 1"
            for _ in 0...generator.next() % 3 {
                let place = text.index(text.startIndex, offsetBy: Int(generator.next() % UInt64(text.count)))
                let letter = alphabet[Int(generator.next() % UInt64(alphabet.count))]
                if generator.next() % 2 == 0 {
                    text.insert(letter, at: place)
                } else {
                    text.remove(at: place)
                }
            }
            if let matrix = Matrix3(text) {
                matrices += 1
                #expect(matrix.isFinite && matrix.inverse != nil)
            }
            if let number = DecimalText.number(text.prefix(5)) { #expect(number.isFinite) }
        }
        #expect(matrices > 100)
    }

    @Test func `a symmetric matrix is the square of its root`() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            func any() -> Vector3 {
                Vector3(
                    generator.normal(deviation: 3),
                    generator.normal(deviation: 3),
                    generator.normal(deviation: 3)
                )
            }
            let factor = Matrix3(any(), any(), any())
            let square = factor * factor.transposed
            let root = try #require(square.symmetricRoot)
            let again = root * root
            for (left, right) in [(again.x, square.x), (again.y, square.y), (again.z, square.z)] {
                #expect((left - right).length < 1e-6)
            }
            let inverse = try #require(square.inverse)
            #expect((inverse * (square * Vector3(1, 2, 3)) - Vector3(1, 2, 3)).length < 1e-3)
        }
        #expect(Matrix3(diagonal: Vector3(1, -1, 1)).symmetricRoot == nil)
        #expect(Matrix3(diagonal: .zero).inverse == nil)
    }
}
